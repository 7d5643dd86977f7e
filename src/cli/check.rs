//! `charpipe check`: finds all that is wrong with files and says where, in the words of whoever
//! reads it.

pub mod args;
mod fingerprint;
mod format;
mod gcc;
mod github;
mod gitlab;
mod help;
pub mod json;
mod junit;
mod line;
pub mod run;
mod sarif;
mod subject;
mod telling;
mod text;
mod uri;
