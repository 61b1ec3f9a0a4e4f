"""Kernels of the Triton language that compile_triton.py compiles, with the types of their arguments.

A case is (file or module, kernel, arguments, warps, stages). Arguments are `names=type`: a pointer or
scalar as in a signature (`:16` where it is a multiple of 16), else a compile-time value. `T/` is the
folder of Triton's tutorials, `K/` that of bench/gpu/triton_kernels.
"""

MATMUL = "a_ptr,b_ptr,c_ptr=*fp16:16 M,N,K=i32:16 stride_am,stride_bk,stride_cm=i32:16 stride_ak,stride_bn,stride_cn=1 "
TILES = "BLOCK_SIZE_M=128 BLOCK_SIZE_N=256 BLOCK_SIZE_K=64 GROUP_SIZE_M=8 "
FLA = "cu_seqlens,chunk_indices=None T=i32:16 IS_VARLEN=False "
HEADS = "H,HV=4 K,V=128 BT=64 "

CASES = [
    ("K/kernels.py", "add_kernel", "x,y,out=*fp32:16 count=i32:16 BLOCK=1024", 4, 3),
    ("K/kernels.py", "softmax_kernel", "x,out=*fp32:16 columns=i32 BLOCK=1024", 4, 3),
    ("K/kernels.py", "norm_kernel", "x,out=*fp16:16 weight,bias=*fp32:16 columns=i32:16 eps=fp32 BLOCK=2048", 8, 3),
    ("K/kernels.py", "matmul_kernel", "a,b,c=*fp16:16 M,N,K,stride_a,stride_b,stride_c=i32:16 TILE_M,TILE_N=128 TILE_K=64 GROUP=8", 4, 3),
    ("K/kernels.py", "matmul_kernel", "a,b,c=*fp32:16 M,N,K,stride_a,stride_b,stride_c=i32:16 TILE_M,TILE_N=128 TILE_K=32 GROUP=8", 8, 3),
    ("K/kernels.py", "persistent_kernel", "a,b,c=*fp16:16 M,N,K=i32:16 PROGRAMS=132 TILE_M=128 TILE_N=256 TILE_K=64 GROUP=8 FLAT=True", 8, 3),
    ("K/kernels.py", "attention_kernel", "q,k,v,out=*fp16:16 length=i32:16 scale=fp32 ROWS=128 KEYS=64 DEPTH=64 CAUSAL=False", 4, 3),
    ("K/kernels.py", "attention_kernel", "q,k,v,out=*fp16:16 length=i32:16 scale=fp32 ROWS=128 KEYS=64 DEPTH=128 CAUSAL=True", 8, 3),
    ("T/01-vector-add.py", "add_kernel", "x_ptr,y_ptr,output_ptr=*fp32:16 n_elements=i32:16 BLOCK_SIZE=1024", 4, 3),
    ("T/02-fused-softmax.py", "softmax_kernel", "output_ptr,input_ptr=*fp32:16 input_row_stride,output_row_stride,n_rows,n_cols=i32 BLOCK_SIZE=1024 num_stages=4", 8, 3),
    ("T/03-matrix-multiplication.py", "matmul_kernel", MATMUL + TILES + "ACTIVATION='leaky_relu'", 8, 3),
    ("T/04-low-memory-dropout.py", "_dropout", "x_ptr,output_ptr=*fp32:16 x_keep_ptr=*i32:16 n_elements=i32 p=fp32 BLOCK_SIZE=1024", 4, 3),
    ("T/04-low-memory-dropout.py", "_seeded_dropout", "x_ptr,output_ptr=*fp32:16 n_elements,seed=i32 p=fp32 BLOCK_SIZE=1024", 4, 3),
    ("T/05-layer-norm.py", "_layer_norm_fwd_fused", "X,Y,W,B=*fp16:16 Mean,Rstd=*fp32:16 stride,N=i32:16 eps=fp32 BLOCK_SIZE=8192", 8, 3),
    ("T/05-layer-norm.py", "_layer_norm_bwd_dx_fused", "DX,DY,X,W=*fp16:16 DW,DB,Mean,Rstd=*fp32:16 Lock=*i32:16 stride,N=i32:16 GROUP_SIZE_M=64 BLOCK_SIZE_N=8192", 8, 3),
    ("T/05-layer-norm.py", "_layer_norm_bwd_dwdb", "DW,DB=*fp32:16 FINAL_DW,FINAL_DB=*fp16:16 M,N=i32:16 BLOCK_SIZE_M=32 BLOCK_SIZE_N=128", 4, 3),
    ("T/06-fused-attention.py", "_attn_bwd_preprocess", "O,DO=*fp16:16 Delta=*fp32:16 Z,H,N_CTX=i32:16 BLOCK_M=128 HEAD_DIM=64", 4, 3),
    ("T/06-fused-attention.py", "_attn_bwd", "Q,K,V,DO,DQ,DK,DV=*fp16:16 sm_scale=fp32 M,D=*fp32:16 stride_z,stride_h,stride_tok,N_CTX=i32:16 stride_d=1 H=i32:16 BLOCK_M1=32 BLOCK_N1=128 BLOCK_M2=128 BLOCK_N2=32 BLK_SLICE_FACTOR=2 HEAD_DIM=64 CAUSAL=True", 4, 3),
    ("T/07-extern-functions.py", "asin_kernel", "x_ptr,y_ptr=*fp32:16 n_elements=i32 BLOCK_SIZE=1024", 4, 3),
    ("T/08-grouped-gemm.py", "grouped_matmul_kernel", "group_a_ptrs,group_b_ptrs,group_c_ptrs=*i64:16 group_gemm_sizes,g_lds=*i32:16 group_size=i32 NUM_SM=84 BLOCK_SIZE_M,BLOCK_SIZE_N=128 BLOCK_SIZE_K=32", 4, 3),
    ("T/09-persistent-matmul.py", "matmul_kernel", MATMUL + TILES, 8, 3),
    ("T/09-persistent-matmul.py", "matmul_kernel_persistent", MATMUL + TILES + "NUM_SMS=132", 8, 3),
    ("liger_kernel.ops.rms_norm", "_rms_norm_forward_kernel", "Y_ptr,X_ptr,W_ptr=*bf16:16 RSTD_ptr=*fp32:16 Y_row_stride,X_row_stride,n_cols=i32:16 W_row_stride,RSTD_row_stride=1 eps,offset=fp32 casting_mode=0 elementwise_affine=True BLOCK_SIZE=4096", 8, 3),
    ("liger_kernel.ops.rms_norm", "_block_rms_norm_forward_kernel", "Y_ptr,X_ptr,W_ptr=*bf16:16 RSTD_ptr=*fp32:16 Y_row_stride,X_row_stride,n_rows,n_cols=i32:16 W_row_stride,RSTD_row_stride=1 eps,offset=fp32 casting_mode=0 elementwise_affine=True BLOCK_SIZE=256 BLOCK_ROW=16", 4, 3),
    ("liger_kernel.ops.layer_norm", "_layer_norm_forward_kernel", "Y_ptr,X_ptr,W_ptr,B_ptr=*bf16:16 Mean_ptr,RSTD_ptr=*fp32:16 Y_row_stride,X_row_stride,n_cols=i32:16 W_row_stride,B_row_stride,Mean_row_stride,RSTD_row_stride=1 eps=fp32 BLOCK_SIZE=4096", 8, 3),
    ("liger_kernel.ops.layer_norm", "_layer_norm_backward_kernel", "X_ptr,W_ptr,DX_ptr,DY_ptr=*bf16:16 Mean_ptr,RSTD_ptr,DW_ptr,DB_ptr=*fp32:16 stride_x,stride_dx,stride_dw,stride_db,stride_dy,n_rows,n_cols=i32:16 stride_mean,stride_rstd=1 rows_per_program=8 BLOCK_SIZE=2048 COMPUTE_DW,COMPUTE_DB=True", 8, 3),
    ("liger_kernel.ops.cross_entropy", "liger_cross_entropy_kernel", "X_ptr=*bf16:16 X_stride,n_cols=i32:16 Y_ptr=*i64:16 Y_stride,loss_stride=1 weight_ptr,z_loss_ptr,token_accuracy_ptr,predicted_tokens_ptr,softcap=None token_accuracy_stride,predicted_tokens_stride=0 loss_ptr=*fp32:16 n_non_ignore=i32 sum_non_ignore_weight=i32 weight_sum=fp32 ignore_index=i32 lse_square_scale,label_smoothing=0.0 reduction='mean' RETURN_Z_LOSS,RETURN_TOKEN_ACCURACY,RETURN_PREDICTED_TOKENS,HAS_WEIGHT,HAS_SOFTCAPPING=False HAS_GRADIENTS=True BLOCK_SIZE=32768", 32, 3),
    ("liger_kernel.ops.rope", "_triton_rope", "q_ptr,k_ptr,cos,sin=*bf16:16 q_row_stride,k_row_stride,cos_row_stride,sin_row_stride=i32:16 sl=i32:16 bs=2 cos_bs=1 n_qh,pad_n_qh=32 n_kh,pad_n_kh=8 hd,pad_hd=128 pad_rd,rd=128 BLOCK_SIZE=32 BACKWARD_PASS=False", 4, 3),
    ("liger_kernel.ops.swiglu", "_swiglu_forward_kernel", "a_ptr,b_ptr,c_ptr=*bf16:16 stride=i32:16 gate_multiplier=fp32 n_cols=11008 BLOCK_SIZE=16384", 16, 3),
    ("liger_kernel.ops.geglu", "_geglu_tanh_backward_kernel", "dc,a,b=*bf16:16 stride=i32:16 n_cols=11008 BLOCK_SIZE=16384", 16, 3),
    ("liger_kernel.ops.softmax", "_softmax_single_block_forward_kernel", "Y_ptr,X_ptr=*bf16:16 Y_row_stride,X_row_stride,n_cols=i32:16 BLOCK_SIZE=4096", 8, 3),
    ("liger_kernel.ops.kl_div", "_kldiv_kernel_forward", "y_ptr,gt_ptr,loss_ptr=*fp32:16 y_stride,gt_stride,loss_stride,n_cols=i32:16 eps=fp32 BLOCK_SIZE=8192 reduction=3 log_target=False", 16, 3),
    ("liger_kernel.ops.jsd", "_jsd_kernel", "X_ptr,Y_ptr,dX_ptr=*fp32:16 loss_ptr=*fp32:16 X_stride,Y_stride,loss_stride,dX_stride,n_cols=i32:16 label_ptr=*i64:16 beta=0.5 n_non_ignore=i32 ignore_index=-100 BLOCK_SIZE=8192 HAS_LABEL=True", 16, 3),
    ("liger_kernel.ops.sparsemax", "_sparsemax_forward_kernel", "x_ptr,sorted_x_ptr,o_ptr=*fp32:16 x_stride_row,sorted_x_stride_row,o_stride_row,n_cols=i32:16 BLOCK_SIZE=2048 num_warps=4", 4, 3),
    ("liger_kernel.ops.group_norm", "_group_norm_forward_kernel", "Y_ptr,X_ptr,W_ptr,B_ptr=*fp32:16 Mean_ptr,RSTD_ptr=*fp32:16 Y_row_stride,Y_col_stride,X_row_stride,X_col_stride,Mean_row_stride,RSTD_row_stride,hidden_size,channels_per_group=i32:16 Mean_col_stride,RSTD_col_stride=1 eps=fp32 BLOCK_SIZE=4096", 8, 3),
    ("fla.ops.common.chunk_o", "chunk_fwd_kernel_o", "q,k,v,h,o=*bf16:16 g=*fp32:16 g_gamma=None scale=fp32 " + FLA + HEADS + "BK,BV=64 USE_G=True USE_G_GAMMA=False STATE_V_FIRST=False", 4, 3),
    ("fla.ops.common.chunk_o", "chunk_bwd_kernel_dqkwg", "q,k,v,h,do,dh,dq,dk,dw,dv=*bf16:16 g,dg=*fp32:16 g_gamma=None scale=fp32 B=2 " + FLA + HEADS + "BK,BV=64 USE_G,USE_DW=True USE_G_GAMMA=False STATE_V_FIRST=False", 4, 3),
    ("fla.ops.common.chunk_o", "chunk_bwd_kernel_dv_local", "q,k,do,dv=*bf16:16 g=*fp32:16 g_gamma,A=None scale=fp32 " + FLA + HEADS + "BK,BV=64 USE_G=True USE_G_GAMMA,USE_A=False", 4, 3),
    ("fla.ops.common.chunk_h", "chunk_fwd_kernel_h", "k,v,h=*bf16:16 g=*fp32:16 g_gamma,gk,gv,h0,split_offsets=None ht=*fp32:16 cu_seqlens=None T=i32:16 IS_VARLEN=False H=4 K,V=128 BT,BS=64 BK,BV=64 USE_G,STORE_FINAL_STATE=True USE_G_GAMMA,USE_GK,USE_GV,USE_INITIAL_STATE,STATE_V_FIRST=False", 4, 3),
    ("fla.ops.common.chunk_delta_h", "chunk_gated_delta_rule_fwd_kernel_h_blockdim64", "k,v,w,v_new,h=*bf16:16 g=*fp32:16 gk,h0,chunk_offsets=None ht=*fp32:16 cu_seqlens=None T=i32:16 IS_VARLEN=False " + HEADS + "BV=32 USE_G,STORE_FINAL_STATE,SAVE_NEW_VALUE=True USE_GK,USE_INITIAL_STATE,STATE_V_FIRST=False", 4, 3),
    ("fla.ops.common.chunk_scaled_dot_kkt", "chunk_scaled_dot_kkt_fwd_kernel", "k=*bf16:16 g,beta,A=*fp32:16 " + FLA + "H,HV=4 K=128 BT=64 BK=64 USE_G=True", 4, 3),
    ("fla.ops.common.fused_recurrent", "fused_recurrent_fwd_kernel", "q,k,v=*bf16:16 g=*fp32:16 g_gamma,gk,gv,h0,cu_seqlens=None o,ht=*fp32:16 scale=fp32 B=i32 T=i32:16 H=4 K,V=128 BK=64 BV=64 REVERSE,USE_G_GAMMA,USE_GK,USE_GV,USE_INITIAL_STATE,IS_VARLEN,STATE_V_FIRST=False USE_G,STORE_FINAL_STATE=True", 1, 1),
    ("fla.ops.utils.cumsum", "chunk_local_cumsum_vector_kernel", "s,o=*fp32:16 scale=None " + FLA + "B=2 H=4 S=128 BT=64 BS=32 REVERSE,HAS_SCALE,USE_GRAPH=False", 4, 3),
    ("fla.ops.utils.solve_tril", "merge_16x16_to_64x64_inverse_kernel", "A=*fp32:16 Ai=*bf16:16 " + FLA + "H=4 BT=64 USE_TMA=False DOT_PRECISION='ieee'", 4, 3),
    ("fla.ops.gated_delta_rule.wy_fast", "recompute_w_u_fwd_kernel", "k,v,w,u,A=*bf16:16 beta,g=*fp32:16 " + FLA + HEADS + "BK,BV=64 USE_G=True", 4, 3),
    ("fla.ops.gated_delta_rule.wy_fast", "prepare_wy_repr_bwd_kernel", "k,v,A,dw,du,dk,dv=*bf16:16 beta,g,db,dg=*fp32:16 " + FLA + HEADS + "BK,BV=64 USE_G=True", 4, 3),
    ("fla.modules.norm.layernorm", "layer_norm_fwd_kernel", "x,y=*bf16:16 w,b=*fp32:16 res,res_out=None mean,rstd=*fp32:16 eps=fp32 T=i32:16 G=1 D=512 BT=16 BD=512 NB=64 IS_RMS_NORM,HAS_RESIDUAL,STORE_RESIDUAL_OUT=False HAS_WEIGHT,HAS_BIAS=True", 8, 3),
    ("fla.modules.norm.layernorm", "layer_norm_bwd_kernel", "x,y,dy,dx=*bf16:16 w,b,dw,db=*fp32:16 dres,dres_in=None mean,rstd=*fp32:16 T=i32:16 G=1 D=512 BS=64 BT=16 BD=512 NB=64 GS=1 IS_RMS_NORM,HAS_DRESIDUAL,STORE_DRESIDUAL,RECOMPUTE_OUTPUT=False HAS_WEIGHT,HAS_BIAS=True", 8, 3),
    ("fla.modules.norm.l2norm", "l2norm_fwd_kernel", "x,y=*bf16:16 rstd=*fp32:16 eps=fp32 T=i32:16 D,BD=128 NB=64 BT=16", 8, 3),
    ("fla.modules.rotary.ops", "rotary_embedding_kernel", "x,y=*bf16:16 cos,sin=*bf16:16 cu_seqlens,chunk_indices=None seq_offsets=0 T=i32:16 B=2 H=4 D=128 R=64 TR=2048 BT=32 BD=64 IS_SEQLEN_OFFSETS_TENSOR,IS_VARLEN,INTERLEAVED,CONJUGATE=False", 4, 3),
    ("T/06-fused-attention.py", "_attn_fwd", "sm_scale=fp32 M=*fp32:16 Z,H=i32 desc_q,desc_k,desc_v,desc_o=*fp16:16 N_CTX=i32:16 HEAD_DIM=128 BLOCK_M=128 BLOCK_N=128 FP8_OUTPUT=False STAGE=1 warp_specialize=False IS_HOPPER=False", 8, 3),
    ("T/06-fused-attention.py", "_attn_fwd", "sm_scale=fp32 M=*fp32:16 Z,H=i32 desc_q,desc_k,desc_v,desc_o=*fp16:16 N_CTX=i32:16 HEAD_DIM=64 BLOCK_M=128 BLOCK_N=64 FP8_OUTPUT=False STAGE=3 warp_specialize=False IS_HOPPER=False", 4, 3),
    ("T/09-persistent-matmul.py", "matmul_kernel_descriptor_persistent", "a_ptr,b_ptr,c_ptr=*fp16:16 M,N,K=i32:16 BLOCK_SIZE_M=128 BLOCK_SIZE_N=256 BLOCK_SIZE_K=64 GROUP_SIZE_M=8 EPILOGUE_SUBTILE=False NUM_SMS=148 WARP_SPECIALIZE=False FLATTEN=True", 8, 3),
]
