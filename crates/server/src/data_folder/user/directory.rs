//! `duramen user directory test`: a person of the directory, as a sign-in would find them.
//!
//! In: a configuration, a name, on demand a password. Out: entry, groups and rights; exit status 1 and the step that failed when the
//! person could not sign in. Changes nothing.

use crate::{
    assemble::{self, Environment},
    configuration::check::rendered,
    data_folder::layout::USERS,
};
use ::directory::{DirectoryError, Ldap, LdapOptions, Person, PersonKey, SignInError};
use accounts::{AccountError, Accounts, Right};
use clap::Subcommand;
use config::Disk;
use std::{
    fmt,
    io::{self, BufRead, IsTerminal},
    path::{Path, PathBuf},
    process::ExitCode,
};

#[derive(Subcommand, Debug)]
pub(super) enum DirectoryVerb {
    /// Look a person up in the directory: entry, groups, the rights that these give; changes nothing
    Test {
        /// The name that the person types
        name: String,
        /// The configuration with directory()
        #[arg(short = 'f', long, default_value = "/etc/duramen/duramen.conf")]
        config: PathBuf,
        /// Ask for the password of the person, and try it
        #[arg(long)]
        password: bool,
    },
}

/// Asks for the password of a person.
type AskPassword = fn(&str) -> io::Result<String>;

/// The reasons why a person could not sign in.
#[derive(Debug)]
enum TestError {
    /// The configuration has errors: the findings.
    Findings(String),
    /// It has no `directory()`.
    None(PathBuf),
    /// The password cannot be read.
    Password(io::Error),
    /// No thread can be started.
    Threads(io::Error),
    /// The file of users cannot be read.
    Accounts(AccountError),
    /// The directory cannot be asked.
    Directory(DirectoryError),
    /// The directory does not let the person in.
    SignIn(SignInError),
    /// Nobody has the name.
    Unknown { base: String, attributes: String, filter: String },
    /// The person may not sign in, for this reason.
    Refused(&'static str),
}

impl fmt::Display for TestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TestError::Findings(text) => f.write_str(text.trim_end()),
            TestError::None(path) => write!(f, "{} has no page(directory(...))", path.display()),
            TestError::Password(error) => write!(f, "cannot read the password: {error}"),
            TestError::Threads(error) => write!(f, "cannot start a thread: {error}"),
            TestError::Accounts(error) => error.fmt(f),
            TestError::Directory(error) => error.fmt(f),
            TestError::SignIn(error) => error.fmt(f),
            TestError::Unknown { base, attributes, filter } => write!(
                f,
                "nobody below {base} has this name in {attributes} and passes {filter}: check base(), filter() and name-attributes(), and what the service account may see"
            ),
            TestError::Refused(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for TestError {}

/// Runs the verb.
pub(super) fn run(data: &Path, verb: &DirectoryVerb) -> ExitCode {
    let DirectoryVerb::Test { name, config, password } = verb;
    let asked = if *password { Some(password_of as AskPassword) } else { None };
    match test(data, config, name, asked) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            errln!("duramen: {error}");
            ExitCode::FAILURE
        }
    }
}

fn test(data: &Path, config: &Path, name: &str, asked: Option<AskPassword>) -> Result<(), TestError> {
    let ldap = Ldap::new(options(config)?).map_err(TestError::Directory)?;
    let accounts = Accounts::at(&data.join(USERS));
    if accounts.is_local(name).map_err(TestError::Accounts)? {
        let text = "there is a local user of that name: the password is checked here, and the directory is not asked";
        return Err(TestError::Refused(text));
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(TestError::Threads)?;
    let found = runtime.block_on(ldap.look_up(PersonKey::Name(name))).map_err(TestError::Directory)?;
    let options = ldap.options();
    let person = found.ok_or_else(|| TestError::Unknown {
        base: options.base.clone(),
        attributes: options.name_attributes.join(" or "),
        filter: options.filter.clone(),
    })?;
    show(&accounts, &person)?;
    if person.is_disabled {
        return Err(TestError::Refused("the person is disabled in the directory"));
    }
    if person.rights.is_none() {
        return Err(TestError::SignIn(SignInError::NoGroup { entry: person.entry }));
    }
    if let Some(password_of) = asked {
        let password = password_of(name).map_err(TestError::Password)?;
        runtime.block_on(ldap.sign_in(name, &password)).map_err(TestError::SignIn)?;
        outln!("password\tright");
    }
    Ok(())
}

/// The options of a configuration.
fn options(config: &Path) -> Result<LdapOptions, TestError> {
    let mut checked = assemble::check(config, &Disk::default());
    let parts = match checked.report.is_usable() {
        true => assemble::build(&checked.tree, &Environment::for_check(), &mut checked.report),
        false => None,
    };
    let parts = parts.ok_or_else(|| TestError::Findings(rendered(&checked)))?;
    parts.page.directory.ok_or_else(|| TestError::None(config.to_owned()))
}

fn show(accounts: &Accounts, person: &Person) -> Result<(), TestError> {
    outln!("entry\t{}", person.entry);
    outln!("id\t{}", person.id);
    outln!("name\t{}", person.name);
    let known = accounts.directory_accounts().map_err(TestError::Accounts)?;
    match known.iter().find(|one| one.subject == person.id) {
        Some(one) => outln!("account\t{}", one.account),
        None => outln!("account\tnone yet: it is made at the first sign-in"),
    }
    person.groups.iter().for_each(|group| outln!("group\t{group}"));
    let rights = person.rights.iter();
    for grant in rights.clone().flat_map(|rights| &rights.grants) {
        let names: Vec<&str> = grant.may.iter().copied().map(Right::name).collect();
        outln!("right\t{}\t{}", grant.logspace, names.join(","));
    }
    let there = accounts.roles().map_err(TestError::Accounts)?;
    for role in rights.flat_map(|rights| &rights.roles) {
        let is_there = there.iter().any(|known| known.name == *role);
        outln!("role\t{role}{}", if is_there { "" } else { "\tthere is no such role" });
    }
    Ok(())
}

/// Reads a password from the terminal, or the first line of standard input.
fn password_of(name: &str) -> io::Result<String> {
    if io::stdin().is_terminal() {
        return rpassword::prompt_password(format!("Password of {name}: "));
    }
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    Ok(line.trim_end_matches(['\n', '\r']).to_owned())
}
