import{a,b}from"./chunk-SNJOVCIG.js";import"./chunk-LEKJYOC2.js";import"./chunk-FSSHUUHC.js";import"./chunk-SHENOUOQ.js";import"./chunk-IXUL65VS.js";export{a as ApprovalState,b as ApprovalsPage};
