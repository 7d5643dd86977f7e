//! `iconv`: charpipe called by the name of the program that it replaces. Options, names, messages and
//! exit codes are those of the GNU C library's program or, if the environment variable `CHARPIPE_ICONV`
//! is `libiconv`, of GNU libiconv's.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal, Write, stdout};
use std::path::Path;

use charpipe_iconv::arguments::{Flavor, Request, parse};
use charpipe_iconv::listing::listing;

use crate::cli::fs::output::OutputStream;

use super::exit;
use super::sys::process;

pub mod command;
mod files;
mod glibc;
mod install;
mod libiconv;
mod position;
mod text;

use text::Failure;

pub use charpipe_iconv::encoding_name::all as names;
pub use command::IconvArgs;
pub use install::{InstallLinksArgs, run as install_links};

/// The environment variable that names the flavor.
const FLAVOR_VARIABLE: &str = "CHARPIPE_ICONV";

/// Returns the flavor that the environment names, or that of glibc. `None` if there is none of this name.
fn flavor() -> Option<Flavor> {
    match env::var_os(FLAVOR_VARIABLE).unwrap_or_default().to_str() {
        Some("" | "glibc") => Some(Flavor::Glibc),
        Some("libiconv") => Some(Flavor::Libiconv),
        _ => None,
    }
}

/// A call as `iconv`.
#[derive(Debug)]
pub struct IconvCall<'a> {
    /// The name that messages start with.
    program: &'a OsStr,
    arguments: &'a [OsString],
}

impl<'a> IconvCall<'a> {
    /// Returns the call if the program's name is `iconv`, or the first argument is. The manual page is
    /// charpipe's.
    pub fn from_argv(argv: &'a [OsString]) -> Option<IconvCall<'a>> {
        let (program, arguments) = argv.split_first()?;
        let name = Path::new(program).file_name().unwrap_or_default();
        if name == "iconv" || name.eq_ignore_ascii_case("iconv.exe") {
            return Some(IconvCall { program, arguments });
        }
        let (first, arguments) = arguments.split_first()?;
        (first == "iconv" && arguments != ["--man"])
            .then(|| IconvCall { program: OsStr::new("iconv"), arguments })
    }

    /// Runs the call and returns its exit code.
    pub fn run(&self) -> u8 {
        // An error is that of a signal number that does not exist.
        let _: io::Result<()> = process::ignore_sigxfsz();
        let program = self.program.as_encoded_bytes();
        let Some(flavor) = flavor() else {
            let message = format!("{FLAVOR_VARIABLE} must be glibc or libiconv");
            text::print_message(program, &[message.as_bytes()]);
            return 1;
        };
        let arguments = self.arguments.iter().map(|argument| argument.as_encoded_bytes());
        let arguments: Vec<_> = arguments.collect();
        let posix_order = env::var_os("POSIXLY_CORRECT").is_some();
        let request = match parse(flavor, program, &arguments, posix_order) {
            Ok(request) => request,
            Err(error) => return text::print_usage_error(flavor, program, error),
        };
        let outcome = match (request, flavor) {
            (Request::Help(program), Flavor::Glibc) => self.print(&text::glibc_help(&program)),
            (Request::Help(_), Flavor::Libiconv) => self.print(&text::libiconv_help(self.program)),
            (Request::Usage(program), _) => self.print(&text::usage(&program)),
            (Request::Version, _) => self.print(&text::version()),
            (Request::List, _) => self.print(&listing(flavor, stdout().is_terminal())),
            (Request::Convert(conversion), Flavor::Glibc) => glibc::convert(&conversion),
            (Request::Convert(conversion), Flavor::Libiconv) => libiconv::convert(&conversion),
        };
        match outcome {
            Ok(true) => 0,
            Ok(false) | Err(Failure::Reported) => 1,
            Err(Failure::BrokenPipe(error)) => exit::exit_with(Err(error.into())),
        }
    }

    fn print(&self, text: &str) -> Result<bool, Failure> {
        let mut stdout = files::IconvOutputFile::Stream(OutputStream::Stdout);
        let program = self.program.as_encoded_bytes();
        stdout
            .write_all(text.as_bytes())
            .map_err(|error| text::report_system_error(program, "write error", error))?;
        Ok(true)
    }
}
