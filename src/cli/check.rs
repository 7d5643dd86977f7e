//! `charpipe check`: finds all that is wrong with files and says where, in the words of whoever
//! reads it.

pub mod args;
mod file_label;
mod fingerprint;
mod format;
mod gcc;
mod github;
mod gitlab;
mod help;
pub mod json;
mod junit;
mod line_buffer;
mod reporter;
pub mod run;
mod sarif;
mod text;
mod uri;
