import{a,b}from"./chunk-TQO57KBK.js";import"./chunk-VNZAAWPU.js";import"./chunk-GBGXZ2P7.js";import"./chunk-STNFSXNY.js";import"./chunk-V5SM3VHA.js";export{a as ApprovalState,b as ApprovalsPage};
