#include "sema/kernel/KernelContext.h"

#include "ir/Dialects.h"
#include "ir/Sanitizer.h"

namespace gluonc::sema {

void setModuleOptions(mlir::ModuleOp module, const Options &options) {
  mlir::OpBuilder builder(module.getContext());
  module->setAttr(ttg::targetAttr, builder.getStringAttr(options.target.irName()));
  module->setAttr(ttg::numWarpsAttr, builder.getI32IntegerAttr(int32_t(options.numWarps)));
  module->setAttr(ttg::numCtasAttr, builder.getI32IntegerAttr(int32_t(options.numCtas)));
  module->setAttr(ttg::threadsPerWarpAttr,
                  builder.getI32IntegerAttr(int32_t(options.target.warpSize())));
  if (!options.sanitizer.empty())
    module->setAttr(sanitizerAttr, builder.getStringAttr(options.sanitizer));
  if (options.maxnreg)
    module->setAttr(ttg::maxRegistersAttr, builder.getI32IntegerAttr(int32_t(*options.maxnreg)));
}

} // namespace gluonc::sema
