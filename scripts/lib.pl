# Shared by the scripts in Perl. Loaded, never run.

use strict;
use utf8;
use warnings;
use File::Basename qw(basename dirname);
use File::Path qw(make_path);
use File::Temp qw(tempdir);

# The checkout of the running script.
our $top = dirname(dirname(-e $0 ? $0 : "./$0"));
chomp($top = `cd "$top" && pwd`);

# As in lib.sh.
$ENV{LC_ALL} = 'C.UTF-8';
our $builddir = $ENV{BUILDDIR} || "$top/dist-newstyle" . (($ENV{WERROR} // '') eq '1' ? '/werror' : '');
our @libraries = map { s{.*/([^/]*)/src/Ashlar$}{$1}r } sort glob "$top/*/src/Ashlar";
our @core = qw(ashlar ashlar-compat ashlar-text);

binmode $_, ':utf8' for *STDOUT, *STDERR;
*STDOUT->autoflush(1);

sub stop { print STDERR basename($0), ": @_\n"; exit 1 }

sub slurp {
  my ($path) = @_;
  open my $in, '<:encoding(UTF-8)', $path or stop("$path: $!");
  local $/;
  return scalar <$in>;
}

# Written only if it changes, so that ghc compiles only that anew.
sub spew {
  my ($path, $text) = @_;
  return if -e $path && slurp($path) eq $text;
  make_path(dirname($path));
  open my $out, '>:encoding(UTF-8)', $path or stop("$path: $!");
  print $out $text;
  close $out;
}

# Build targets with Debian's GHC, which ghc is from then on, and where the packages are then.
sub built {
  system("$top/scripts/debian-cabal", 'build', @_) == 0 or stop('the build failed');
  $ENV{PATH} = "/usr/bin:$ENV{PATH}";
  delete $ENV{GHC_PACKAGE_PATH};
  chomp(my $version = `ghc --numeric-version`);
  return "$builddir/packagedb/ghc-$version";
}

# The line that count_tests of lib.sh reads, as the end of a script.
sub report_tests {
  my ($suite, $passed, $failed) = @_;
  $failed += 0;
  print "== $suite: $passed passed, $failed failed\n";
  exit($passed && !$failed ? 0 : 1);
}

1;
