//! `iconv`: charpipe called by the name of the program that it replaces. Options, names, messages and
//! exit codes are those of the GNU C library's program.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal, Write, stdout};
use std::path::Path;
use std::process::ExitCode;

use crate::cli::fs::output::OutputStream;

use super::exit;
use super::sys::process;

mod arguments;
mod conversion;
mod direct;
mod encoding_name;
mod install;
mod locale;
mod names;
mod output;
mod text;

use arguments::{Request, UsageError};
use conversion::Failure;

pub use install::run as install_links;

/// The exit code of invalid usage.
const USAGE_ERROR: u8 = 64;

/// A call as `iconv`.
#[derive(Debug)]
pub struct Call<'a> {
    /// The name that messages start with.
    program: &'a OsStr,
    arguments: &'a [OsString],
}

impl<'a> Call<'a> {
    /// Returns the call if the program's name is `iconv`, or the first argument is.
    pub fn from_argv(argv: &'a [OsString]) -> Option<Call<'a>> {
        let (program, arguments) = argv.split_first()?;
        let name = Path::new(program).file_name().unwrap_or_default();
        if name == "iconv" || name.eq_ignore_ascii_case("iconv.exe") {
            return Some(Call { program, arguments });
        }
        let (first, arguments) = arguments.split_first()?;
        (first == "iconv").then(|| Call { program: OsStr::new("iconv"), arguments })
    }

    /// Runs the call and returns its exit code.
    pub fn run(&self) -> ExitCode {
        // An error is that of a signal number that does not exist.
        let _: io::Result<()> = process::ignore_sigxfsz();
        let posix_order = env::var_os("POSIXLY_CORRECT").is_some();
        let request = match arguments::parse(self.program, self.arguments, posix_order) {
            Ok(request) => request,
            Err(UsageError { message, short_program }) => {
                text::print_message(self.program, &message);
                text::print_line(&text::try_help(&short_program));
                return USAGE_ERROR.into();
            }
        };
        let outcome = match &request {
            Request::Print(text) => self.print(text),
            Request::List => self.print(&names::listing(stdout().is_terminal())),
            Request::Convert(conversion) => conversion::run(conversion),
        };
        match outcome {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) | Err(Failure::Reported) => ExitCode::FAILURE,
            Err(Failure::BrokenPipe(error)) => exit::exit_with(Err(error.into())),
        }
    }

    fn print(&self, text: &str) -> Result<bool, Failure> {
        let mut stdout = output::Output::Stream(OutputStream::Stdout);
        let written = stdout.write_all(text.as_bytes());
        written
            .map_err(|error| conversion::report_system_error(self.program, "write error", error))?;
        Ok(true)
    }
}
