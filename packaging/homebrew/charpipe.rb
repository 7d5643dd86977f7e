# Homebrew formula, for a tap. packaging/fill writes the version and checksums.
class Charpipe < Formula
  desc "Convert text between encodings, in place or as a filter, and check and detect them"
  homepage "https://github.com/charpipe/charpipe"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  release = "#{homepage}/releases/download/v#{version}"

  on_macos do
    on_arm do
      url "#{release}/charpipe-#{version}-aarch64-apple-darwin.tar.gz"
      sha256 "@SHA256 aarch64-apple-darwin.tar.gz@"
    end
    on_intel do
      url "#{release}/charpipe-#{version}-x86_64-apple-darwin.tar.gz"
      sha256 "@SHA256 x86_64-apple-darwin.tar.gz@"
    end
  end

  on_linux do
    on_arm do
      url "#{release}/charpipe-#{version}-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256 aarch64-unknown-linux-musl.tar.gz@"
    end
    on_intel do
      url "#{release}/charpipe-#{version}-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256 x86_64-unknown-linux-musl.tar.gz@"
    end
  end

  def install
    bin.install "charpipe"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/charpipe.bash" => "charpipe"
    zsh_completion.install "completions/_charpipe"
    fish_completion.install "completions/charpipe.fish"
  end

  test do
    assert_equal "caf\u00e9\n", pipe_output("#{bin}/charpipe -f latin1", "caf\xE9\n")
    assert_match version.to_s, shell_output("#{bin}/charpipe --version")
  end
end
