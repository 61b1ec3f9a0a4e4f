#include "ir/Dialects.h"
using namespace gluonc;
mlir::LogicalResult tt::AddPtrOp::verify() { return mlir::success(); }
mlir::OpFoldResult tt::AddPtrOp::fold(FoldAdaptor) { return {}; }
mlir::LogicalResult tt::AtomicRMWOp::verify() { return mlir::success(); }
mlir::LogicalResult tt::BitcastOp::verify() { return mlir::success(); }
mlir::OpFoldResult tt::BitcastOp::fold(FoldAdaptor) { return {}; }
mlir::LogicalResult tt::BroadcastOp::verify() { return mlir::success(); }
mlir::LogicalResult tt::BroadcastOp::canonicalize(BroadcastOp op, mlir::PatternRewriter &rewriter) { return mlir::failure(); }
mlir::OpFoldResult tt::BroadcastOp::fold(FoldAdaptor) { return {}; }
mlir::LogicalResult tt::CallOp::verifySymbolUses(mlir::SymbolTableCollection &) { return mlir::success(); }
mlir::LogicalResult tt::ClampFOp::verify() { return mlir::success(); }
mlir::LogicalResult tt::DotOp::verify() { return mlir::success(); }
mlir::LogicalResult tt::ElementwiseInlineAsmOp::verify() { return mlir::success(); }
mlir::LogicalResult tt::ExpandDimsOp::verify() { return mlir::success(); }
mlir::LogicalResult tt::ExpandDimsOp::canonicalize(ExpandDimsOp op, mlir::PatternRewriter &rewriter) { return mlir::failure(); }
mlir::OpFoldResult tt::ExpandDimsOp::fold(FoldAdaptor) { return {}; }
mlir::LogicalResult tt::ExternElementwiseOp::verify() { return mlir::success(); }
mlir::LogicalResult tt::FpToFpOp::verify() { return mlir::success(); }
mlir::LogicalResult tt::FuncOp::verify() { return mlir::success(); }
mlir::LogicalResult tt::GatherOp::verify() { return mlir::success(); }
mlir::LogicalResult tt::HistogramOp::verify() { return mlir::success(); }
mlir::LogicalResult tt::IntToPtrOp::verify() { return mlir::success(); }
mlir::OpFoldResult tt::IntToPtrOp::fold(FoldAdaptor) { return {}; }
mlir::LogicalResult tt::JoinOp::verify() { return mlir::success(); }
mlir::LogicalResult tt::LoadOp::verify() { return mlir::success(); }
mlir::LogicalResult tt::LoadOp::canonicalize(LoadOp op, mlir::PatternRewriter &rewriter) { return mlir::failure(); }
mlir::LogicalResult tt::MakeRangeOp::verify() { return mlir::success(); }
mlir::OpFoldResult tt::MakeRangeOp::fold(FoldAdaptor) { return {}; }
mlir::LogicalResult tt::MulhiUIOp::verify() { return mlir::success(); }
mlir::LogicalResult tt::PreciseDivFOp::verify() { return mlir::success(); }
mlir::LogicalResult tt::PreciseSqrtOp::verify() { return mlir::success(); }
mlir::LogicalResult tt::PrintOp::verify() { return mlir::success(); }
mlir::LogicalResult tt::PtrToIntOp::verify() { return mlir::success(); }
mlir::OpFoldResult tt::PtrToIntOp::fold(FoldAdaptor) { return {}; }
mlir::LogicalResult tt::ReduceOp::verify() { return mlir::success(); }
mlir::LogicalResult tt::ReduceOp::verifyRegions() { return mlir::success(); }
mlir::LogicalResult tt::ReshapeOp::verify() { return mlir::success(); }
mlir::OpFoldResult tt::ReshapeOp::fold(FoldAdaptor) { return {}; }
mlir::LogicalResult tt::ReturnOp::verify() { return mlir::success(); }
mlir::LogicalResult tt::ScanOp::verify() { return mlir::success(); }
mlir::LogicalResult tt::ScanOp::verifyRegions() { return mlir::success(); }
mlir::LogicalResult tt::SplatOp::verify() { return mlir::success(); }
mlir::OpFoldResult tt::SplatOp::fold(FoldAdaptor) { return {}; }
mlir::LogicalResult tt::SplitOp::verify() { return mlir::success(); }
mlir::LogicalResult tt::StoreOp::canonicalize(StoreOp op, mlir::PatternRewriter &rewriter) { return mlir::failure(); }
mlir::LogicalResult tt::TransOp::verify() { return mlir::success(); }
mlir::OpFoldResult tt::TransOp::fold(FoldAdaptor) { return {}; }
mlir::LogicalResult tt::UnsplatOp::verify() { return mlir::success(); }
mlir::LogicalResult ttg::AsyncCopyGlobalToLocalOp::verify() { return mlir::success(); }
mlir::LogicalResult ttg::ConvertLayoutOp::verify() { return mlir::success(); }
mlir::OpFoldResult ttg::ConvertLayoutOp::fold(FoldAdaptor) { return {}; }
mlir::LogicalResult ttg::LocalAllocOp::verify() { return mlir::success(); }
mlir::LogicalResult ttg::LocalLoadOp::verify() { return mlir::success(); }
mlir::LogicalResult ttg::LocalStoreOp::verify() { return mlir::success(); }
mlir::LogicalResult ttg::MemDescIndexOp::verify() { return mlir::success(); }
mlir::LogicalResult ttg::MemDescReinterpretOp::verify() { return mlir::success(); }
mlir::OpFoldResult ttg::MemDescReinterpretOp::fold(FoldAdaptor) { return {}; }
mlir::LogicalResult ttg::MemDescReshapeOp::verify() { return mlir::success(); }
mlir::LogicalResult ttg::MemDescSubsliceOp::verify() { return mlir::success(); }
mlir::OpFoldResult ttg::MemDescSubsliceOp::fold(FoldAdaptor) { return {}; }
mlir::LogicalResult ttg::MemDescTransOp::verify() { return mlir::success(); }
mlir::OpFoldResult ttg::MemDescTransOp::fold(FoldAdaptor) { return {}; }
