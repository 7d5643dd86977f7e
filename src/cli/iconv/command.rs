//! The definition of `charpipe iconv` for its manual page, the help of charpipe and completions. The
//! arguments are parsed by [`charpipe_iconv::arguments`].

use std::path::PathBuf;

/// The prefix of the ids of options with names of encodings, which have none of charpipe's syntax.
pub const OPTION_PREFIX: &str = "iconv_";

const USAGE: &str = "charpipe iconv [-f NAME] [-t NAME] [OPTIONS] [FILE]...
       charpipe iconv -l";

const ABOUT: &str = "\
Convert text as iconv does.

The options, names, messages and exit codes are those of the iconv of the GNU C library, so that \
scripts keep working. A link named iconv to charpipe does the same without the word iconv.

A name matches in any case, but exactly. -t NAME//TRANSLIT replaces characters that the encoding does \
not have by similar ones, -t NAME//IGNORE skips them. Without -f or -t the encoding is that of the \
locale. Long options can be abbreviated.";

const AFTER: &str = "\
Exit code:
  0  everything was converted, perhaps with transliterations and substitutions
  1  the conversion stopped, or input was skipped; or an encoding is unknown, or an input or output error
  64  wrong usage

Examples:
  charpipe iconv -f latin1 -t utf-8 old.txt
      Convert ISO-8859-1 to UTF-8.
  charpipe iconv -f utf-8 -t ascii//TRANSLIT
      Convert a filter's input to ASCII with transliterations.
  ln -s \"$(command -v charpipe)\" /usr/local/bin/iconv
      Replace iconv.";

/// The syntax of a format.
const FORMAT: &str = "FORMAT is that of printf(3) with at most one conversion of an unsigned integer (o, u, \
                      x or X), such as <U+%04X>.";

/// Convert text as iconv does (see charpipe iconv --man)
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(
    display_name = "charpipe iconv",
    version,
    disable_help_flag = true,
    disable_version_flag = true,
    about = "Convert text as iconv does",
    long_about = ABOUT,
    after_long_help = AFTER,
    override_usage = USAGE
)]
pub struct IconvArgs {
    /// Input encoding
    #[arg(id = "iconv_from", short = 'f', long = "from-code", value_name = "ENCODING")]
    from: Option<String>,

    /// Output encoding, perhaps with the suffixes //TRANSLIT and //IGNORE
    #[arg(id = "iconv_to", short = 't', long = "to-code", value_name = "ENCODING")]
    to: Option<String>,

    /// Skip what cannot be converted, without a message
    #[arg(short = 'c')]
    discard: bool,

    /// Write to FILE, if the conversion succeeds; it may be an input
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Write each malformed byte by FORMAT
    #[arg(long, value_name = "FORMAT", long_help = format!("Write each malformed byte by FORMAT\n\n{FORMAT}"))]
    byte_subst: Option<String>,

    /// Write each unmappable character by FORMAT
    #[arg(long, value_name = "FORMAT")]
    unicode_subst: Option<String>,

    /// Accepted for compatibility
    #[arg(long, value_name = "FORMAT")]
    widechar_subst: Option<String>,

    /// Accepted for compatibility
    #[arg(short, long)]
    silent: bool,

    /// Print the name of each input
    #[arg(long)]
    verbose: bool,

    /// List all names of encodings
    #[arg(short, long)]
    list: bool,

    /// Print the manual page (only if it is the only argument)
    #[arg(long)]
    pub man: bool,

    /// Print help
    #[arg(short = '?', long)]
    help: bool,

    /// Print a short usage message
    #[arg(long)]
    usage: bool,

    /// Print version
    #[arg(short = 'V', long)]
    version: bool,

    /// Input files; - or none for standard input
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    inputs: Vec<PathBuf>,
}
