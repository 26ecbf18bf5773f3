//! Rows about lowering.
