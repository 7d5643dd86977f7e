//! The mutations of a source file.

use std::ops::Range;

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    Arm, BinOp, Block, Expr, ExprBinary, ExprLit, ExprUnary, GenericArgument, ImplItem, Item, Lit,
    Pat, ReturnType, Signature, Stmt, TraitItem, Type, UnOp,
};

use super::source::{SourceFile, is_compiled};

/// A change of the source that is made if it is the active mutant.
#[derive(Clone, Debug)]
pub struct Mutation {
    /// The range of the text that `parts` replace.
    pub range: Range<usize>,
    /// What replaces it.
    pub parts: Vec<Part>,
    /// The line, counted from 1.
    pub line: usize,
    /// The function that contains it.
    pub function: String,
    /// What changes.
    pub change: String,
}

/// A part of a replacement.
#[derive(Clone, Debug)]
pub enum Part {
    /// Text of Rust.
    Text(&'static str),
    /// A range of the text, with the mutations in it.
    Source(Range<usize>),
    /// The same without mutations.
    Original(Range<usize>),
    /// Text that depends on the mutation.
    Owned(String),
    /// The condition that the mutant is active.
    Active,
}

/// Returns all mutations of a file, in their order.
pub fn mutations(file: &SourceFile) -> Vec<Mutation> {
    let mut finder = Finder { text: &file.text, function: Vec::new(), found: Vec::new() };
    finder.visit_file(&file.syntax);
    finder.found
}

struct Finder<'a> {
    text: &'a str,
    function: Vec<String>,
    found: Vec<Mutation>,
}

use Part::{Active, Original, Owned, Source, Text};

impl Finder<'_> {
    fn add(&mut self, span: Span, range: Range<usize>, change: String, parts: Vec<Part>) {
        // Without a function it is the value of a constant.
        if let Some(function) = self.function.last() {
            let (line, function) = (span.start().line, function.clone());
            self.found.push(Mutation { range, parts, line, function, change });
        }
    }

    fn snippet(&self, range: Range<usize>) -> String {
        let words: Vec<_> = self.text[range].split_whitespace().collect();
        let text = words.join(" ");
        if text.chars().count() <= 70 {
            return text;
        }
        let start: String = text.chars().take(69).collect();
        start + "…"
    }

    /// `original` is replaced by `mutated`.
    fn replace(&mut self, expression: &Expr, mutated: Vec<Part>, change: String) {
        let range = expression.span().byte_range();
        let mut parts = vec![Text("(if "), Active, Text(" { ")];
        parts.extend(mutated);
        parts.extend([Text(" } else { "), Source(range.clone()), Text(" })")]);
        self.add(expression.span(), range, change, parts);
    }

    /// A statement does nothing.
    fn delete(&mut self, statement: &Stmt) {
        let range = statement.span().byte_range();
        let change = format!("delete {}", self.snippet(range.clone()));
        let parts = vec![Text("if !"), Active, Text(" { "), Source(range.clone()), Text(" }")];
        self.add(statement.span(), range, change, parts);
    }

    /// A condition is the opposite.
    fn negate(&mut self, condition: &Expr) {
        if contains_let(condition) {
            return;
        }
        let range = condition.span().byte_range();
        let change = format!("negate {}", self.snippet(range.clone()));
        let parts = vec![Text("("), Active, Text(" != ("), Source(range.clone()), Text("))")];
        self.add(condition.span(), range, change, parts);
    }

    fn body(&mut self, signature: &Signature, block: &Block) {
        if signature.constness.is_some() {
            return;
        }
        self.function.push(signature.ident.to_string());
        let start = block.brace_token.span.open().byte_range().end;
        if !block.stmts.is_empty() && !is_default(self.text, block) {
            for value in default_values(&signature.output) {
                let change = if value.is_empty() {
                    "return at once".to_owned()
                } else {
                    format!("return {value} at once")
                };
                let parts = vec![Text(" if "), Active, Owned(format!(" {{ return {value}; }}"))];
                self.add(signature.ident.span(), start..start, change, parts);
            }
        }
        self.visit_block(block);
        self.function.pop();
    }

    fn binary(&mut self, expression: &Expr, binary: &ExprBinary) {
        for operator in replacements(&binary.op) {
            let original = self.snippet(binary.op.span().byte_range());
            let around = self.snippet(expression.span().byte_range());
            let change = format!("{original} to {operator} in {around}");
            let (left, right) = (binary.left.span().byte_range(), binary.right.span().byte_range());
            let operator = format!(" {operator} ");
            let mutated = vec![Original(left), Owned(operator), Original(right)];
            self.replace(expression, mutated, change);
        }
    }

    fn literal(&mut self, expression: &Expr, literal: &ExprLit) {
        match &literal.lit {
            Lit::Int(integer) => {
                let Ok(value) = integer.base10_parse::<u128>() else {
                    return;
                };
                for mutated in [value.checked_add(1), value.checked_sub(1)].into_iter().flatten() {
                    let original = self.snippet(expression.span().byte_range());
                    let change = format!("{original} to {mutated}");
                    let mutated = format!("{mutated}{}", integer.suffix());
                    self.replace(expression, vec![Owned(mutated)], change);
                }
            }
            Lit::Bool(boolean) => {
                let mutated = (!boolean.value).to_string();
                let change = format!("{} to {mutated}", boolean.value);
                self.replace(expression, vec![Owned(mutated)], change);
            }
            _ => {}
        }
    }

    fn unary(&mut self, expression: &Expr, unary: &ExprUnary) {
        if matches!(unary.op, UnOp::Not(_) | UnOp::Neg(_)) {
            let change =
                format!("without the operator: {}", self.snippet(expression.span().byte_range()));
            self.replace(expression, vec![Original(unary.expr.span().byte_range())], change);
        }
    }

    /// `is_optional`: a later arm matches everything.
    fn arm(&mut self, arm: &Arm, is_optional: bool) {
        if !is_compiled(&arm.attrs) {
            return;
        }
        if let Pat::Guard(pattern) = &arm.pat {
            if !contains_let(&pattern.guard) {
                let range = pattern.guard.span().byte_range();
                let change = format!("without the guard {}", self.snippet(range.clone()));
                let parts =
                    vec![Text("("), Active, Text(" || ("), Source(range.clone()), Text("))")];
                self.add(pattern.guard.span(), range, change, parts);
                self.visit_expr(&pattern.guard);
            }
        } else if is_optional {
            let range = arm.pat.span().byte_range();
            let change = format!("without the arm {}", self.snippet(range.clone()));
            let end = range.end;
            self.add(arm.pat.span(), end..end, change, vec![Text(" if !"), Active]);
        }
        self.visit_expr(&arm.body);
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Fn(function) if is_compiled(&function.attrs) => {
                self.body(&function.sig, &function.block);
            }
            Item::Impl(block) if is_compiled(&block.attrs) => {
                let name = block.trait_.as_ref().and_then(|(path, _)| path.segments.last());
                if name.is_none_or(|name| name.ident != "Debug") {
                    visit::visit_item_impl(self, block);
                }
            }
            Item::Trait(definition) if is_compiled(&definition.attrs) => {
                visit::visit_item_trait(self, definition);
            }
            Item::Mod(module) if is_compiled(&module.attrs) => visit::visit_item_mod(self, module),
            _ => {}
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        if let ImplItem::Fn(function) = item
            && is_compiled(&function.attrs)
        {
            self.body(&function.sig, &function.block);
        }
    }

    fn visit_trait_item(&mut self, item: &'ast TraitItem) {
        if let TraitItem::Fn(function) = item
            && let Some(block) = &function.default
        {
            self.body(&function.sig, block);
        }
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        match statement {
            Stmt::Local(local) if !is_compiled(&local.attrs) => return,
            Stmt::Expr(expression, Some(_)) => match expression {
                Expr::MethodCall(call) if is_reservation(&call.method.to_string()) => return,
                Expr::MethodCall(_) | Expr::Call(_) | Expr::Assign(_) | Expr::Try(_) => {
                    self.delete(statement);
                }
                Expr::Binary(binary) if assignment(&binary.op).is_some() => self.delete(statement),
                _ => {}
            },
            _ => {}
        }
        visit::visit_stmt(self, statement);
    }

    fn visit_expr(&mut self, expression: &'ast Expr) {
        match expression {
            Expr::Block(block) if !is_compiled(&block.attrs) => return,
            Expr::Binary(binary) => self.binary(expression, binary),
            Expr::Lit(literal) => self.literal(expression, literal),
            Expr::Unary(unary) => self.unary(expression, unary),
            Expr::If(branch) => self.negate(&branch.cond),
            Expr::While(repeated) => self.negate(&repeated.cond),
            Expr::Const(_) => return,
            Expr::Repeat(array) => return self.visit_expr(&array.expr),
            Expr::MethodCall(call) if is_reservation(&call.method.to_string()) => {
                return self.visit_expr(&call.receiver);
            }
            // A capacity has no effect on the result.
            Expr::Call(call) => {
                if let Expr::Path(path) = &*call.func
                    && path.path.segments.last().is_some_and(|name| name.ident == "with_capacity")
                {
                    return;
                }
            }
            Expr::Match(choice) => {
                self.visit_expr(&choice.expr);
                let last = choice.arms.iter().rposition(|arm| matches!(arm.pat, Pat::Wild(_)));
                for (index, arm) in choice.arms.iter().enumerate() {
                    self.arm(arm, last.is_some_and(|last| index < last));
                }
                return;
            }
            _ => {}
        }
        visit::visit_expr(self, expression);
    }

    // Patterns and types are not evaluated.
    fn visit_pat(&mut self, _: &'ast Pat) {}
    fn visit_type(&mut self, _: &'ast Type) {}
    fn visit_generic_argument(&mut self, _: &'ast GenericArgument) {}
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
}

fn is_reservation(method: &str) -> bool {
    matches!(method, "reserve" | "reserve_exact" | "try_reserve" | "shrink_to_fit")
}

fn contains_let(condition: &Expr) -> bool {
    match condition {
        Expr::Let(_) => true,
        Expr::Binary(binary) => contains_let(&binary.left) || contains_let(&binary.right),
        _ => false,
    }
}

/// Returns whether a body is what a mutation would return.
fn is_default(text: &str, block: &Block) -> bool {
    let [Stmt::Expr(expression, None)] = &block.stmts[..] else {
        return false;
    };
    let body = &text[expression.span().byte_range()];
    ["true", "false", "0", "1", "None", "Ok(())", "\"\"", "&[]"].contains(&body)
}

fn default_values(output: &ReturnType) -> Vec<String> {
    let ReturnType::Type(_, of) = output else {
        return vec![String::new()];
    };
    values_of_type(of).into_iter().map(str::to_owned).collect()
}

fn values_of_type(of: &Type) -> Vec<&'static str> {
    match of {
        Type::Reference(reference) if reference.mutability.is_none() => match &*reference.elem {
            Type::Slice(_) => vec!["&[]"],
            Type::Path(path) if path.path.is_ident("str") => vec!["\"\""],
            _ => vec![],
        },
        Type::Path(path) => {
            let Some(last) = path.path.segments.last() else {
                return vec![];
            };
            match last.ident.to_string().as_str() {
                "bool" => vec!["true", "false"],
                "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i32" | "i64" | "isize" => {
                    vec!["0", "1"]
                }
                "f32" | "f64" => vec!["0.0"],
                "Option" => vec!["None"],
                "String" => vec!["String::new()"],
                "Vec" => vec!["Vec::new()"],
                "Result" => vec!["Ok(Default::default())"],
                "Self" => vec![],
                _ => vec!["Default::default()"],
            }
        }
        Type::Tuple(_) => vec!["Default::default()"],
        _ => vec![],
    }
}

/// Returns the operators with which an operator is confused.
fn replacements(operator: &BinOp) -> &'static [&'static str] {
    match operator {
        BinOp::Add(_) => &["-"],
        BinOp::Sub(_) | BinOp::Mul(_) => &["+"],
        BinOp::Div(_) => &["*"],
        BinOp::Rem(_) => &["/"],
        BinOp::And(_) => &["||"],
        BinOp::Or(_) => &["&&"],
        BinOp::BitXor(_) | BinOp::BitAnd(_) => &["|"],
        BinOp::BitOr(_) => &["&"],
        BinOp::Shl(_) => &[">>"],
        BinOp::Shr(_) => &["<<"],
        BinOp::Eq(_) => &["!="],
        BinOp::Ne(_) => &["=="],
        BinOp::Lt(_) => &["<=", ">="],
        BinOp::Le(_) => &["<", ">"],
        BinOp::Gt(_) => &[">=", "<="],
        BinOp::Ge(_) => &[">", "<"],
        _ => assignment(operator).unwrap_or_default(),
    }
}

fn assignment(operator: &BinOp) -> Option<&'static [&'static str]> {
    Some(match operator {
        BinOp::AddAssign(_) => &["-="],
        BinOp::SubAssign(_) | BinOp::MulAssign(_) => &["+="],
        BinOp::DivAssign(_) => &["*="],
        BinOp::RemAssign(_) => &["/="],
        BinOp::BitXorAssign(_) | BinOp::BitAndAssign(_) => &["|="],
        BinOp::BitOrAssign(_) => &["&="],
        BinOp::ShlAssign(_) => &[">>="],
        BinOp::ShrAssign(_) => &["<<="],
        _ => return None,
    })
}
