/** The scripts that make a shell ask pail. Each line of an answer is a value, a tab, a description. */

export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;

/** A line of an answer that is no value: local files may be meant, too. */
export const FILES_LINE = ":files";

const BASH = String.raw`# pail completion for bash: eval "$(pail completion bash)"
_pail() {
  local line cur=${"${COMP_WORDS[COMP_CWORD]}"}
  COMPREPLY=()
  while IFS= read -r line; do
    line=${"${line%%$'\\t'*}"}
    if [[ $line == :files ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$cur")
      continue
    fi
    [[ $line == */ || $line == *= ]] && compopt -o nospace 2>/dev/null
    printf -v line %q "$line"
    COMPREPLY+=("$line")
  done < <(command pail complete --shell bash -- "${"${COMP_WORDS[@]:1:COMP_CWORD}"}" 2>/dev/null)
}
complete -F _pail pail
`;

const ZSH = String.raw`#compdef pail
# pail completion for zsh: eval "$(pail completion zsh)", behind compinit
_pail() {
  local line value
  local -a more done_ lines
  lines=("${'${(@f)$(command pail complete --shell zsh -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}'}")
  for line in $lines; do
    value=${"${line%%$'\\t'*}"}
    if [[ $value == :files ]]; then _files
    elif [[ $value == */ || $value == *= ]]; then more+=("$value")
    elif [[ -n $value ]]; then done_+=("$value")
    fi
  done
  (( $#more )) && compadd -S '' -- $more
  (( $#done_ )) && compadd -- $done_
}
compdef _pail pail
`;

const FISH = String.raw`# pail completion for fish: pail completion fish | source
function __pail_complete
  set -l words (commandline -opc)
  set -e words[1]
  for line in (command pail complete --shell fish -- $words (commandline -ct) 2>/dev/null)
    if test "$line" = ":files"
      __fish_complete_path (commandline -ct)
    else
      echo $line
    end
  end
end
complete -c pail -f -a '(__pail_complete)'
`;

const POWERSHELL = String.raw`# pail completion for PowerShell: pail completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName pail -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
  if ($wordToComplete -eq '') { $words += '""' }
  pail complete --shell powershell -- @words 2>$null | ForEach-Object {
    $value, $about = $_ -split "${"`t"}", 2
    if ($value -eq ':files') {
      [System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete)
    } else {
      if (-not $about) { $about = $value }
      [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $about)
    }
  }
}
`;

/** The script of each shell. */
export const COMPLETION_SCRIPTS: Readonly<Record<(typeof SHELLS)[number], string>> = {
  bash: BASH,
  zsh: ZSH,
  fish: FISH,
  powershell: POWERSHELL,
};
