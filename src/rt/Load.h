//===- Load.h - Drivers, and variants on devices ----------------------------------===//
#pragma once

#include "rt/State.h"

namespace gluonc::rt {

/// Opens a driver that the bundle has code for, CUDA's before AMD's, unless one is open.
llvm::Expected<Vendors> openVendor(gluonc_rt_bundle &bundle);

/// The device that a launch on this thread goes to.
template <class Api> int currentDevice(const Vendor<Api> &vendor) {
  return vendor.deviceCount == 1 ? 0 : Api::Device::current(*vendor.driver);
}

/// What a kernel has on a device, whose variants may not be loaded.
template <class Api> llvm::Expected<OnDevice<Api> *> placeOn(gluonc_rt_kernel &kernel, int ordinal);

/// Loads a variant unless it is loaded.
template <class Api>
llvm::Expected<const typename Api::Launcher *> load(gluonc_rt_kernel &kernel, OnDevice<Api> &place,
                                                    Candidate<Api> &candidate);

inline Places<runtime::CudaApi> &placesOf(gluonc_rt_kernel &kernel, runtime::CudaApi) {
  return kernel.cuda;
}
inline Places<runtime::HipApi> &placesOf(gluonc_rt_kernel &kernel, runtime::HipApi) {
  return kernel.hip;
}
inline Vendor<runtime::CudaApi> &vendorOf(gluonc_rt_bundle &bundle, runtime::CudaApi) {
  return bundle.cuda;
}
inline Vendor<runtime::HipApi> &vendorOf(gluonc_rt_bundle &bundle, runtime::HipApi) {
  return bundle.hip;
}

} // namespace gluonc::rt
