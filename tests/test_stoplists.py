"""The stop lists: what they hold, what they must never hold, and what remains of a prompt."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jezero_hooks.rules.fold import fold
from jezero_hooks.rules.terms import distinctive, words
from jezero_hooks.stoplist import (
    StopListFault,
    load_stop_list,
    stop_list_faults,
    stop_list_folder,
)

FOLDER = Path(__file__).parent.parent / "stoplists"
NAMES = ("en", "es")
STOP_LIST = load_stop_list(str(FOLDER), NAMES)


def listed(text: str) -> list[str]:
    return text.split()


# Words that tell one past work from another, in English and in Spanish.
SUBJECTS = listed("""
account action address admin agent alarm alias analytics android animation api app archive
argument array attachment audit auth author autocomplete avatar backend backup badge banner bar
barcode base basket batch benchmark bill billing binary blog board body booking border bot box
branch breakpoint browser bucket budget buffer bug build bundle button byte cache calendar camera
canvas cart case category certificate change changelog channel charset chart chat check checkbox
checkout class click client clock cluster code color column command comment commit compiler
component config connection consent console container content contract cookie copy count country
coupon cpu crash credit cron csv currency cursor customer dashboard data database date deadline
debug decimal default delete delivery deploy design device dialog diff directory discount docker
document domain download dropdown editor email emoji encoding endpoint engine enum error event
example exception export extension factory favicon feature feed field figure file filter flag
folder font footer form format frame framework function gallery gateway grid group guide handler
hash header heap heatmap hook host icon image import index input installer integration interface
invoice issue item job json kernel key keyboard label language latency layout leak lesson library
license limit line link lint list loader location lock log login logo loop lunch macro mail main
map margin mask memory menu message meta method metric migration mobile mock modal model module
moment monitor mouse name network news node none note notification number object offset open
option order orm output package page pagination parser password patch path payment pdf performance
permission phone pipeline pixel player plugin pointer policy popup port post price print printer
privacy problem process product profile project prompt proxy query question queue radio range read
reader receipt record redirect refactor regex region release remove rename report repository
request response retry return review role rollback route router row rule run runner runtime sale
salary sample scheduler schema scope score screen script scroll search security self select
selenium sensor sequence server service session set setting shell shipping shop sidebar signal
slider slow snapshot socket sort sound source spam speed spinner sprite stack start state status
stock stop storage store stream string style submit subscription subtitle survey sync tab table
tag target task tax template tenant terminal test text theme thread thumbnail ticket time timeout
timer timezone title todo token toggle tooltip translation tree trigger type typo undo unicode
update upload url user validation value variable vector version video view wait wallet warning
weather webhook website welcome widget window word worker workflow workspace yaml zone one two
three first last next left right down actualizacion ajustes alerta almacen archivo arreglar
arreglo autenticacion barra boton busqueda cabecera calendario cambio camara campo capa cargar
carpeta carrito categoria celda cliente clave codigo cola columna comando comentario compra
conexion configuracion consulta contenido contrasena correo credito cuenta curso datos dependencia
descarga despliegue diseno documento dominio ejemplo empresa enlace entrada entorno envio
escritorio espacio esquema estado estilo etiqueta evento excepcion exportar factura fecha fichero
filtro firma flujo formulario fuente funcion fuga galeria gasto grafico grupo guia historial hora
horario icono idioma imagen impresora impuesto indice informe inicio inventario lengua libro
limite linea lista llave lote mapa marca memoria mensaje metodo migracion modelo modo modulo
moneda movil muro navegador nombre nomina nota noticia notificacion numero orden pagina pago panel
pantalla paquete parametro pasarela paso pedido pelicula permiso perfil peticion plantilla pie
precio problema proceso producto proveedor proyecto prueba pruebas puerto raton receta recibo red
registro reloj rendimiento repositorio reserva respuesta rol ruta salida saldo seguridad semana
servicio servidor sesion sistema sitio sonido suscripcion tabla tarea tarjeta tarifa teclado tema
tiempo tienda tipo tipografia titulo traduccion usuario valor venta ventana viaje vista vuelo zona
uno dos tres siguiente
""")

# Words that everyone says whatever the subject is.
SAID_OF_ANYTHING = listed("""
the this that these those some any each every all another such same few many much more most enough
you your yourself she her him his they them their its our who whom whose which what whatever
someone something anyone anything everyone everything nobody nothing there thing things stuff
about above across after against along among around because before behind below between but during
for from inside instead into like near off onto out outside over since than through until upon via
with within without and although though however whether while when where yet nor not then else
also too are was were been being has have had does did doing done can cannot could may might must
shall should will would let lets don doesn didn isn aren wasn weren hasn haven hadn won wouldn
couldn shouldn ain dont doesnt cant youre ive how why again already always maybe never now often
only perhaps please quite really just here still today very well yes yeah okay thanks thank pls
sorry hello hey help helps helped helping fix fixes fixed fixing make makes made making want wants
wanted need needs needed show shows try tries tried trying give tell look looking see use uses
used using get gets got getting add adds added adding create creates created creating put take
know think seem happen work works working explain understand implement write improve new good
better best wrong different way ways lot e.g los las una unos unas del este esta estos estas esto
ese esa eso aquel algun alguna algunos ningun otro otra otros mismo misma cada toda ellos nosotros
usted mis tus sus les nos que cual quien como cuando donde porque por para con sin sobre entre
hasta desde segun pero sino pues entonces luego mientras aunque ademas asi muy mas menos mucho
poco tan tanto casi aqui ahi alli ahora antes despues hoy ayer siempre nunca tampoco tambien
quizas todavia vez bien mal mejor solo soy eres son era fue sea ser estoy estan estaba estar hay
habia hemos han haber tengo tienes tiene tenemos tener puedo puedes puede podemos podrias podria
podes poder debe deberia quiero quieres quisiera queria necesito necesitas necesitamos necesita
hago hace haces haz hacer hazlo hazme hecho haga voy vamos vaya doy dame dime digo dice decir veo
ver sabes creo crea crear creame pon ponle poner deja usar usando ayuda ayudame ayudar arregla
arreglame arreglalo revisa revisar revisame revises mira muestrame mostrar explica explicame
intenta intentar agrega agregar anade anadir implementa escribe mejora resuelve soluciona corrige
funciona funcionan sigue seguir parece gustaria permite asegurate falta favor porfa gracias hola
buenas vale cosa cosas manera nuevo nueva posible fijate
""")

# What Jezero's hook kept of its prompts (terms beyond ASCII, numbers and names left out);
# it kept `don` of "don't" too.
KEPT_BY_THE_MODEL = listed("""
analytics consent banner shop arreglar tipografia pagina migration migrations rollback database
node.js build flags foo_bar snake_case_name foo bar snake case runner label forms strasse lodz
istanbul address accept cafe decompose consent-banner footer consent.banner addons net file
ligature abc wide one two three test npm __init__
""")

# First prompts as developers write them, and the words that must remain of each.
ENGLISH = [
    ("Fix the analytics consent banner on the shop please", "analytics consent banner shop"),
    ("Can you help me figure out why the CI build is failing?", "figure build failing"),
    ("I want to add dark mode to the settings page", "dark mode settings page"),
    ("Please write unit tests for the invoice parser", "unit tests invoice parser"),
    (
        "Hey, the login form doesn't validate emails correctly, could you take a look?",
        "login form validate emails",
    ),
    (
        "Let's refactor the payment service so that it doesn't depend on Stripe anymore",
        "refactor payment service depend stripe",
    ),
    ("Explain how the retry queue works", "retry queue"),
    ("What does the webhook handler do when the signature is wrong?", "webhook handler signature"),
    (
        "Why am I getting a CORS error when calling the API from localhost?",
        "cors error calling api localhost",
    ),
    ("Upgrade React to version 19 and fix whatever breaks", "upgrade react version breaks"),
    ("I've noticed that the docker image is way too big, can we make it smaller?", "docker image"),
    (
        "we need to migrate the users table from MySQL to Postgres",
        "migrate users table mysql postgres",
    ),
    (
        "there's a memory leak somewhere in the websocket server, find it",
        "memory leak websocket server",
    ),
    (
        "Could you please create a GitHub Action that deploys to Fly.io?",
        "github action deploys fly.io",
    ),
    ("ok so yesterday we were working on the CSV import, let's continue with that", "csv import"),
    ("make the sidebar collapsible", "sidebar collapsible"),
    ("I don't understand why this regex matches newlines", "regex matches newlines"),
    ("Show me how to use pagination with the search endpoint", "pagination search endpoint"),
    ("It looks like the cron job isn't running at midnight anymore", "cron job running midnight"),
    ("Update the README with the new install instructions", "update readme install instructions"),
    (
        "hi! could you go through the accessibility issues in the checkout flow?",
        "accessibility issues checkout flow",
    ),
    (
        "Add rate limiting to the public endpoints, something like 100 requests per minute",
        "rate limiting public endpoints 100 requests minute",
    ),
    ("The tests are flaky on Windows, any idea why?", "tests flaky windows idea"),
    (
        "remove the feature flag for the onboarding wizard, it's no longer needed",
        "remove feature flag onboarding wizard",
    ),
    ("I'd like you to review the pull request about caching", "review pull request caching"),
    (
        "Implement OAuth login using Google and GitHub as providers",
        "oauth login google github providers",
    ),
    ("Please make sure that all of our translations are complete", "translations complete"),
    (
        "Something is wrong with timezones: the calendar shows events one day early",
        "timezones calendar events one day early",
    ),
    (
        "how would you structure a monorepo with pnpm workspaces?",
        "structure monorepo pnpm workspaces",
    ),
    (
        "just give me a quick script that renames these screenshots by date",
        "script renames screenshots date",
    ),
]
SPANISH = [
    ("Necesito arreglar la tipografía de la página", "arreglar tipografia pagina"),
    ("¿Puedes ayudarme a entender por qué falla el pipeline de CI?", "falla pipeline"),
    ("Quiero añadir un modo oscuro a los ajustes", "modo oscuro ajustes"),
    (
        "Escribe pruebas unitarias para el parser de facturas, por favor",
        "pruebas unitarias parser facturas",
    ),
    (
        "Hola, el formulario de login no valida bien los correos, ¿podrías revisarlo?",
        "formulario login valida correos",
    ),
    ("Haz que el menú lateral se pueda plegar", "menu lateral plegar"),
    ("Explícame cómo funciona la cola de reintentos", "cola reintentos"),
    ("¿Qué hace el webhook cuando la firma no es correcta?", "webhook firma"),
    (
        "Me sale un error de CORS al llamar a la API desde localhost",
        "sale error cors llamar api localhost",
    ),
    ("Actualiza React a la versión 19 y arregla lo que se rompa", "actualiza react version rompa"),
    ("La imagen de docker pesa demasiado, ¿podemos reducirla?", "imagen docker pesa reducirla"),
    (
        "tenemos que migrar la tabla de usuarios de MySQL a Postgres",
        "migrar tabla usuarios mysql postgres",
    ),
    (
        "hay una fuga de memoria en algún sitio del servidor de websockets, encuéntrala",
        "fuga memoria sitio servidor websockets",
    ),
    ("Créame una GitHub Action que despliegue en Fly.io", "github action despliegue fly.io"),
    ("ok, ayer estábamos con la importación de CSV, vamos a seguir con eso", "importacion csv"),
    ("No entiendo por qué esta expresión regular no encuentra nada", "expresion regular"),
    ("Muéstrame cómo usar la paginación con el buscador", "paginacion buscador"),
    ("Parece que el cron ya no se ejecuta a medianoche", "cron ejecuta medianoche"),
    (
        "Agrega las instrucciones de instalación nuevas al README",
        "instrucciones instalacion readme",
    ),
    (
        "Buenas, necesito que revises la accesibilidad del proceso de compra",
        "accesibilidad proceso compra",
    ),
    (
        "Ponle un límite de peticiones a los endpoints públicos, algo así como 100 por minuto",
        "limite peticiones endpoints publicos 100 minuto",
    ),
    ("Los tests fallan a veces en Windows, ¿alguna idea de por qué?", "tests fallan windows idea"),
    (
        "quita el feature flag del asistente de bienvenida, que ya no hace falta",
        "quita feature flag asistente bienvenida",
    ),
    ("Me gustaría que miraras el pull request de la caché", "miraras pull request cache"),
    ("Implementa el inicio de sesión con Google usando OAuth", "inicio sesion google oauth"),
    ("Asegúrate de que todas las traducciones estén completas, gracias", "traducciones completas"),
    (
        "Algo va mal con las zonas horarias: el calendario muestra los eventos un día antes",
        "zonas horarias calendario eventos dia",
    ),
    ("¿cómo harías para organizar un monorepo con pnpm?", "organizar monorepo pnpm"),
    (
        "che, fijate si podés arreglarme el scroll de la tabla, anda medio raro",
        "scroll tabla medio",
    ),
    (
        "hazme un script sencillo que renombre las capturas de pantalla según la fecha",
        "script renombre capturas pantalla fecha",
    ),
]


def kept(prompt: str) -> list[str]:
    return [term.folded for term in distinctive(prompt, STOP_LIST).kept]


@pytest.mark.parametrize("name", NAMES)
def test_a_list_is_in_order(name: str) -> None:
    lines = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    comments = [line for line in lines if line.startswith("#")]
    own = lines[len(comments) :]
    assert lines[: len(comments)] == comments, "comments stand at the head only"
    assert own == sorted(set(own))
    assert stop_list_faults(str(FOLDER), (name,), fold) == ()
    # shorter ones never reach the list; what is not one word as a prompt's are is never met
    assert [word for word in own if len(word) < 3 or words(word) != [word]] == []
    assert 350 <= len(own) <= 800


def test_no_word_names_a_subject() -> None:
    assert len(set(SUBJECTS)) == len(SUBJECTS) >= 300
    assert [word for word in SUBJECTS if word in STOP_LIST] == []


def test_what_is_said_of_anything_is_listed() -> None:
    assert len(set(SAID_OF_ANYTHING)) == len(SAID_OF_ANYTHING) >= 300
    assert [word for word in SAID_OF_ANYTHING if word not in STOP_LIST] == []


def test_the_models_words_survive() -> None:
    assert [word for word in KEPT_BY_THE_MODEL if word in STOP_LIST] == []


@pytest.mark.parametrize(("prompt", "remaining"), ENGLISH + SPANISH)
def test_what_remains_of_a_prompt(prompt: str, remaining: str) -> None:
    assert kept(prompt) == remaining.split()


@pytest.mark.parametrize(
    ("prompt", "remaining"),
    [
        ("ok, can you do that for me please?", []),
        ("y esto cómo es, para que", []),
        ("deploy deploy deploy", ["deploy"]),
        ("deploy rollback", ["deploy", "rollback"]),
        ("go ci db", []),
    ],
)
def test_fp_06_filler_words_are_gone(prompt: str, remaining: list[str]) -> None:
    assert kept(prompt) == remaining


@pytest.mark.parametrize(
    "prompt",
    [
        "please help me fix this",
        "It doesn't work, what's wrong?",
        "I’ve tried everything, but it still won’t work. Can't you see why?",
        "hey, could you please take a look at this and tell me what you think?",
        "Let's make it better, e.g. like we did yesterday",
        "hola, ¿me puedes ayudar con esto por favor?",
        "Arréglalo, que así no funciona nada",
        "¿Y qué hacemos ahora? Explícame cómo lo harías tú",
        "No, así no. Hazlo otra vez, pero bien",
    ],
)
def test_talk_leaves_nothing(prompt: str) -> None:
    assert kept(prompt) == []


# -- reading the files ------------------------------------------------------------------


def write(folder: Path, **lists: bytes) -> str:
    for name, content in lists.items():
        (folder / f"{name}.txt").write_bytes(content)
    return str(folder)


def test_the_lists_are_found_in_a_clone() -> None:
    assert Path(stop_list_folder()) == FOLDER


def test_the_lists_are_found_in_a_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "jezero_hooks/stoplists").mkdir(parents=True)
    monkeypatch.setattr("jezero_hooks.stoplist.__file__", str(tmp_path / "jezero_hooks/x.py"))
    assert Path(stop_list_folder()) == tmp_path / "jezero_hooks/stoplists"


def test_lists_and_extra_words_are_one(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        en=b"# head # of it\n##\nthe\n\n  and  # why\n# end",
        es="\ufeffque\r\n# 2\r\npara\r\n".encode(),
    )
    assert load_stop_list(folder, ("en", "es"), ("acme",)) == {"the", "and", "que", "para", "acme"}
    assert load_stop_list(folder, ("es",)) == {"que", "para"}
    assert load_stop_list(folder, (), ()) == frozenset()
    assert stop_list_faults(folder, ("en", "es"), fold) == ()


def test_what_cannot_be_read_gives_what_the_others_hold(tmp_path: Path) -> None:
    folder = write(tmp_path, en=b"the\n", bad=b"uno\n\xff\xfe\ndos\n")
    (tmp_path / "folder.txt").mkdir()
    os.mkfifo(tmp_path / "pipe.txt")
    names = ("gone", "folder", "nul\0", "pipe", "bad", "en")
    assert load_stop_list(folder, names) >= {"the", "uno", "dos"}
    faults = stop_list_faults(folder, names, fold)
    assert [(Path(fault.path).stem, fault.line) for fault in faults] == [
        ("gone", None),
        ("folder", None),
        ("nul\0", None),
        ("bad", 2),
    ]
    assert faults[0].reason == "cannot be read: No such file or directory"
    assert faults[-1].reason == "is not UTF-8"


def test_faulty_lines_are_told(tmp_path: Path) -> None:
    folder = write(tmp_path, en="\ufeffalso\n# head\nalso\nTambién\nby the way\nalso\n".encode())
    path = str(tmp_path / "en.txt")
    assert stop_list_faults(folder, ("en",), fold) == (
        StopListFault(path, 3, "'also' stands in line 1 already"),
        StopListFault(path, 4, "'También' is not folded: write 'tambien'"),
        StopListFault(path, 5, "holds more than one word"),
        StopListFault(path, 6, "'also' stands in line 1 already"),
    )
