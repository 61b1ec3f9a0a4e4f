// Holds the precompiled header that every MLIR room reuses (cmake/Rooms.cmake).
