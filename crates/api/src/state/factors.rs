//! Second factors: their key, and what waits for codes.
//!
//! In: the file of the key. Out: both. Holds nothing of its own.

use super::State;
use crate::error::ApiError;
use accounts::{FactorKey, FactorKeyError, SecondFactors};
use std::{
    path::Path,
    sync::{Arc, MutexGuard, PoisonError},
};

impl State {
    /// Uses the key of a file for second factors, which is made when it is not there. Without it nobody with a second factor can log in.
    pub fn keep_factor_key(&self, path: &Path) -> Result<(), FactorKeyError> {
        let key = Arc::new(FactorKey::load_or_draw(path)?);
        *self.factor_key.lock().unwrap_or_else(PoisonError::into_inner) = Some(key);
        Ok(())
    }

    /// The key of second factors.
    pub(crate) fn factor_key(&self) -> Result<Arc<FactorKey>, ApiError> {
        let key = self.factor_key.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let missing =
            "second factors cannot be checked: the server has no key for them, and its own log says why";
        key.ok_or_else(|| ApiError::internal(missing))
    }

    pub(crate) fn second_factors(&self) -> MutexGuard<'_, SecondFactors> {
        self.second_factors.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
