//===- Start.cpp - The process of gluonc ------------------------------------===//
//
// Linked once with everything, which makes one program without any library of ours, and
// once with libgluonc, which makes the small one that is installed beside it.
//
//===----------------------------------------------------------------------===//
#include "Main.h"

int main(int argc, char **argv) { return gluonc_main(argc, argv); }
