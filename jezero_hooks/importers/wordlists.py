"""The word lists of the import: what says nothing, what does nothing."""

from __future__ import annotations

from ..stoplist import load_stop_list, stop_list_folder

# The first-prompt hook's: what names no subject there is no title here.
STOP_LIST = load_stop_list(stop_list_folder(), ("en", "es"))


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Commands that the client runs by itself: no work, no question. /init, /review, /plan and
# their like are left out: the agent works on them.
BUILT_IN_COMMANDS = _words(
    """
    add-dir agents allowed-tools bashes bug chrome clear color compact config context copy
    cost desktop diff doctor effort exit export extra-usage fast feedback files fork help
    hooks ide install-github-app install-slack-app keybindings login logout mcp memory
    mobile model new output-style passes permissions plugin plugins privacy-settings quit
    rate-limit-options release-notes reload-plugins remote-control remote-env rename resume
    rewind sandbox session settings skills stats status statusline tag tasks terminal-setup
    theme todos undo upgrade usage vim voice
    """
)
# What answers the agent without telling it anything, folded.
FILLERS = _words(
    """
    a accept acuerdo adelante agreed ahead alright and anda approve approved awesome bien
    buen buena buenas bueno buenos bye claro clear con confirm confirmed continua continuar
    continue cool correct correcto dale de dias do done eh ejecuta ejecutalo el en entendido
    es esa ese eso esta exacto excelente favor fine finish fix genial go good got gracias
    great gusta ha hagamoslo haz hazlo hecho hello hey hi hola i it just k keep let listo lo
    looks love me mejor mm mmm much muchas muy nah next nice no nope now ok okay okey oki on
    one pausa perfect perfecto pf please plz por procede proceder proceed prosigue
    retry right run s seguimos seguir si sigamos sigue siguiente so sounds stop super sure
    tambien tardes te thank thanks that then this thx to todo ty un vale vamos venga very
    vuelve wait well y ya yeah yep yes you your yup да продолжай спасибо хорошо はい 可以 好 好的 是
    続けて 继续 谢谢
    """
)
# Programs that only look around or wait.
LOOKING = _words(
    """
    : [ [[ awk basename bat break cal cat cd clear cmp column comm command continue cut date
    df diff dir dirname du echo egrep env exa exit export eza false fd fgrep file find grep
    head help history hostname id jobs jq less ll local ls lsof man more nl open pgrep popd
    printenv printf ps pushd pwd read readlink realpath return rg sed seq set shopt sleep
    sort source stat tac tail test top tr tree true type uname uniq unset uptime wait wc
    where which whoami xxd yes
    """
)
LOOKING_GIT = _words(
    """
    blame cat-file describe diff grep help log ls-files ls-remote ls-tree reflog
    rev-list rev-parse shortlog show status
    """
)
# Words before the program that say nothing of it.
WRAPPERS = _words(
    """
    ! ( do elif else env if nice nohup sudo then time until while xargs {
    """
)
