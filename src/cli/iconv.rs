//! `iconv`: charpipe called by the name of the program that it replaces. Options, names, messages and
//! exit codes are those of the GNU C library's program or, if the environment variable `CHARPIPE_ICONV`
//! is `libiconv`, of GNU libiconv's.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal, Write, stdout};
use std::path::Path;

use crate::cli::fs::output::OutputStream;

use super::exit;
use super::sys::process;

mod arguments;
pub mod command;
mod files;
mod glibc;
mod install;
mod libiconv;
mod position;
mod text;

use arguments::{ConversionArguments, Request, UsageError};
use glibc::Failure;

pub use charpipe_iconv::encoding_name::all as names;
pub use command::IconvArgs;
pub use install::{InstallLinksArgs, run as install_links};

/// The environment variable that names the flavor.
const FLAVOR_VARIABLE: &str = "CHARPIPE_ICONV";

/// The program whose options, messages and exit codes are imitated.
struct Flavor {
    name: &'static str,
    /// Parses the arguments after the program's name.
    parse: fn(&OsStr, &[OsString]) -> Result<Request, UsageError>,
    /// Returns what `-l` prints, on a terminal or not.
    list: fn(bool) -> String,
    /// Runs a conversion. Returns whether everything was converted.
    convert: fn(&ConversionArguments) -> Result<bool, Failure>,
}

const FLAVORS: [Flavor; 2] = [
    Flavor {
        name: "glibc",
        parse: |program, arguments| {
            arguments::parse(program, arguments, env::var_os("POSIXLY_CORRECT").is_some())
        },
        list: charpipe_iconv::listing::listing,
        convert: glibc::convert,
    },
    Flavor {
        name: "libiconv",
        parse: libiconv::parse,
        list: libiconv::list,
        convert: libiconv::convert,
    },
];

impl Flavor {
    /// Returns the flavor that the environment names, or that of glibc.
    fn from_environment() -> Result<&'static Flavor, UsageError> {
        let named = env::var_os(FLAVOR_VARIABLE).filter(|name| !name.is_empty());
        let Some(named) = named else { return Ok(&FLAVORS[0]) };
        FLAVORS.iter().find(|flavor| named == flavor.name).ok_or_else(|| UsageError {
            message: format!("{FLAVOR_VARIABLE} must be glibc or libiconv").into_bytes(),
            hint: Vec::new(),
            exit_code: 1,
        })
    }
}

/// A call as `iconv`.
#[derive(Debug)]
pub struct Call<'a> {
    /// The name that messages start with.
    program: &'a OsStr,
    arguments: &'a [OsString],
}

impl<'a> Call<'a> {
    /// Returns the call if the program's name is `iconv`, or the first argument is. The manual page is
    /// charpipe's.
    pub fn from_argv(argv: &'a [OsString]) -> Option<Call<'a>> {
        let (program, arguments) = argv.split_first()?;
        let name = Path::new(program).file_name().unwrap_or_default();
        if name == "iconv" || name.eq_ignore_ascii_case("iconv.exe") {
            return Some(Call { program, arguments });
        }
        let (first, arguments) = arguments.split_first()?;
        (first == "iconv" && arguments != ["--man"])
            .then(|| Call { program: OsStr::new("iconv"), arguments })
    }

    /// Runs the call and returns its exit code.
    pub fn run(&self) -> u8 {
        // An error is that of a signal number that does not exist.
        let _: io::Result<()> = process::ignore_sigxfsz();
        let parsed = Flavor::from_environment().and_then(|flavor| {
            (flavor.parse)(self.program, self.arguments).map(|request| (flavor, request))
        });
        let (flavor, request) = match parsed {
            Ok(parsed) => parsed,
            Err(UsageError { message, hint, exit_code }) => {
                if !message.is_empty() {
                    text::print_message(self.program, &message);
                }
                let lines = hint.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
                lines.for_each(text::print_line);
                return exit_code;
            }
        };
        let outcome = match &request {
            Request::Print(text) => self.print(text),
            Request::List => self.print(&(flavor.list)(stdout().is_terminal())),
            Request::Convert(conversion) => (flavor.convert)(conversion),
        };
        match outcome {
            Ok(true) => 0,
            Ok(false) | Err(Failure::Reported) => 1,
            Err(Failure::BrokenPipe(error)) => exit::exit_with(Err(error.into())),
        }
    }

    fn print(&self, text: &str) -> Result<bool, Failure> {
        let mut stdout = files::Output::Stream(OutputStream::Stdout);
        let written = stdout.write_all(text.as_bytes());
        written.map_err(|error| glibc::report_system_error(self.program, "write error", error))?;
        Ok(true)
    }
}
