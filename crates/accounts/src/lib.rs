//! Users: names, passwords, second factors, rights and API tokens, in one file that the server and the command line share.
//!
//! In: names, passwords, grants, records of tokens. Out: credentials, rights, refusals. Holds: the content of the file. Touches
//! the file of users and nothing else. Limits: those of [`Accounts`] and [`ApiToken`].
//!
//! In reading order: `network` and `api_tokens` are values, `password` decides which passwords
//! may be set, `second_factor` which codes are accepted, `durable` replaces files in one step, `accounts` is the file of
//! users, `token_hash` and `waiting` are for log-ins that wait for codes.

mod accounts;
mod api_tokens;
pub mod durable;
mod network;
mod password;
mod second_factor;
mod token_hash;
mod waiting;

pub use accounts::{
    AccountChange, AccountError, Accounts, CredentialId, DirectoryAccount, DirectoryRights, DirectoryState,
    DirectoryUser, EVERY_LOGSPACE, Grant, INVITATION_HOURS, InvitationFault, NewInvitation, RIGHTS, Right,
    Role, SourcedGrant, UserFacts, allowed_name, generated_password,
};
pub use api_tokens::{
    ApiToken, IssuedToken, NewToken, TOKEN_DAYS_DEFAULT, TOKEN_DAYS_MAX, TOKEN_SCOPES, TokenError,
    TokenRefusal, TokenScope, TokenText, TokenUse, TokenUses, TokenUsesError, hex, unhex,
};
pub use network::{Network, NetworkError};
pub use password::{
    PASSWORD_BYTES_MAX, PASSWORD_CHARS_MIN, PASSWORD_CHARS_MIN_WITH_FACTOR, PasswordContext, PasswordFault,
};
pub use second_factor::{
    AcceptedCode, CodeFault, FactorFacts, FactorKey, FactorKeyError, RECOVERY_CODES, RecoveryCodes, Secret,
};
pub use token_hash::TokenHash;
pub use waiting::{CODE_ATTEMPTS_MAX, SecondFactors};
