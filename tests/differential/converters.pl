# Puts questions to Perl's Encode, by the protocol that peers.py describes. `labels` takes the labels to be
# looked up from the question, one a line: Encode knows many of its aliases only as patterns.
use strict;
use warnings;
use Encode ();

my ($asked, $told) = (\*STDIN, \*STDOUT);
binmode $asked;
binmode $told;
printf $told "Perl=%s\n", Encode->VERSION;
$| = 1;

my %partial;

sub labels {
    my %lines = map { $_ => $_ } Encode->encodings(":all");
    for my $label (split /\n/, shift) {
        my $found = Encode::find_encoding($label);
        $lines{$label} = $found->name if $found;
    }
    return join "", map { "$_\t$lines{$_}\n" } sort keys %lines;
}

# Whether a table takes an input for the beginning of a code: `decode` drops that in silence.
sub is_cut {
    my ($encoding, $unit) = @_;
    return 0 if ref $encoding ne "Encode::XS" && ref $encoding ne "Encode::Unicode";
    my $text = eval { $encoding->decode($unit, Encode::FB_CROAK | Encode::STOP_AT_PARTIAL) };
    return defined $text && length $unit > 0;
}

sub units {
    my ($encoding, $decodes, $data) = @_;
    my ($at, $results) = (0, "");
    while ($at < length $data) {
        my $length = ord substr $data, $at, 1;
        my $unit = substr $data, $at + 1, $length;
        $at += 1 + $length;
        my $result = eval { convert_strictly($encoding, $decodes, $unit) };
        $results .= $decodes && is_cut($encoding, $unit) ? "\xFE"
            : defined $result ? chr(length $result) . $result
            : "\xFF";
    }
    return $results;
}

sub convert_strictly {
    my ($encoding, $decodes, $input) = @_;
    if ($decodes) {
        my $text = $encoding->decode($input, Encode::FB_CROAK);
        utf8::encode($text);
        return $text;
    }
    utf8::decode($input);
    return $encoding->encode($input, Encode::FB_CROAK);
}

sub ignoring {
    my ($encoding, $text) = @_;
    utf8::decode($text);
    return $encoding->encode($text, sub { "" });
}

sub convert {
    my ($mode, $from, $to, $data) = @_;
    return labels($data) if $mode eq "labels";
    my $decodes = $to eq "UTF-8";
    my $encoding = Encode::find_encoding($decodes ? $from : $to);
    return undef if !$encoding;
    return units($encoding, $decodes, $data) if $mode eq "units";
    return ignoring($encoding, $data) if $mode eq "ignore";
    return eval { convert_strictly($encoding, $decodes, $data) };
}

while (defined(my $line = readline $asked)) {
    my (undef, $mode, $from, $to, $length) = split " ", $line;
    my $data = "";
    read $asked, $data, $length;
    next if $mode eq "-";
    local $SIG{__WARN__} = sub { };
    my $answer = convert($mode, $from, $to, $data);
    print $told defined $answer ? "gives " . length($answer) . "\n$answer" : "refuses\n";
}
