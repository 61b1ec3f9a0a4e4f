//===- Main.h - The program gluonc, as libgluonc has it ----------------------===//
#pragma once

extern "C" {
/// Does what the program `gluonc` does with these words, and returns its exit status. For a process
/// that does nothing else: it has its standard streams, signals and environment.
__attribute__((visibility("default"))) int gluonc_main(int argc, char **argv);
}
