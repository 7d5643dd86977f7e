# nix-build packaging/nix: builds the program of this source tree.
{
  lib,
  rustPlatform,
  installShellFiles,
}:

let
  manifest = (lib.importTOML ../../Cargo.toml).package;
in
rustPlatform.buildRustPackage {
  pname = manifest.name;
  inherit (manifest) version;

  src = lib.cleanSource ../..;
  cargoLock.lockFile = ../../Cargo.lock;
  # The tests compare with other converters and need more than a sandbox has.
  doCheck = false;

  nativeBuildInputs = [ installShellFiles ];
  postInstall = ''
    installManPage docs/man/*.1
    installShellCompletion --cmd charpipe \
      --bash completions/charpipe.bash \
      --zsh completions/_charpipe \
      --fish completions/charpipe.fish
  '';

  meta = {
    description = "Convert text between encodings, in place or as a filter, and check and detect them";
    homepage = manifest.repository;
    license = with lib.licenses; [ mit asl20 ];
    mainProgram = "charpipe";
  };
}
