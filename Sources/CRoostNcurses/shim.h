// SPDX-License-Identifier: Apache-2.0
#ifndef ROOST_NCURSES_SHIM_H
#define ROOST_NCURSES_SHIM_H

/* Without it the header leaves out the calls for characters beyond one byte. */
#ifndef NCURSES_WIDECHAR
#define NCURSES_WIDECHAR 1
#endif
#ifndef _XOPEN_SOURCE_EXTENDED
#define _XOPEN_SOURCE_EXTENDED 1
#endif

#include <curses.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

/* Declared by <wchar.h> only under _XOPEN_SOURCE, which a module cannot define. */
extern int wcwidth(wchar_t character);

/* Keys that terminals send and most descriptions of terminals lack. */
enum {
    ROOST_KEY_PASTE_START = 2001,
    ROOST_KEY_PASTE_END = 2002,
    ROOST_KEY_WORD_LEFT = 2003,
    ROOST_KEY_WORD_RIGHT = 2004,
};

/* ncurses writes text of the locale, and a machine without one still has this one. */
static inline void roost_nc_set_locale(void) {
    const char *locale = setlocale(LC_CTYPE, "");
    if (locale && (strstr(locale, "UTF-8") || strstr(locale, "utf8") || strstr(locale, "UTF8"))) return;
    if (!setlocale(LC_CTYPE, "C.UTF-8")) (void)setlocale(LC_CTYPE, "UTF-8");
}

static inline int roost_nc_is_terminal(void) { return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO); }

/* Makes a pipe that wakes the terminal's thread; returns -1 if the system refuses. */
static inline int roost_nc_make_pipe(int *reading, int *writing) {
    int ends[2];
    if (pipe(ends) < 0) return -1;
    for (int end = 0; end < 2; end++) {
        (void)fcntl(ends[end], F_SETFD, FD_CLOEXEC);
        (void)fcntl(ends[end], F_SETFL, O_NONBLOCK);
    }
    *reading = ends[0];
    *writing = ends[1];
    return 0;
}

static inline void roost_nc_close_pipe(int reading, int writing) {
    (void)close(reading);
    (void)close(writing);
}

/* A full pipe wakes as well. */
static inline void roost_nc_wake(int writing) { (void)!write(writing, "", 1); }

static inline void roost_nc_drain(int reading) {
    char bytes[64];
    (void)!read(reading, bytes, sizeof bytes);
}

/* Waits for a key, a wake-up or the end of the time; -1 waits for ever. Returns 1 if the terminal has gone. */
static inline int roost_nc_wait(int reading, int milliseconds) {
    struct pollfd entries[2] = {{STDIN_FILENO, POLLIN, 0}, {reading, POLLIN, 0}};
    return poll(entries, 2, milliseconds) > 0 && (entries[0].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
}

/* The signals of a crash. */
enum { ROOST_NC_CRASHES = 7 };
static inline int roost_nc_crash(int index) {
    static const int numbers[ROOST_NC_CRASHES] = {SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGQUIT};
    return numbers[index];
}

/* The terminal and the actions as they were, for a crash. */
struct roost_nc_found {
    struct termios settings;
    struct sigaction actions[ROOST_NC_CRASHES];
    volatile sig_atomic_t is_valid;
    volatile sig_atomic_t has_crashed;
    char stack[65536] __attribute__((aligned(16)));
};

/* Swift takes no variable from a header, but one in a function. One file calls it, in functions that are never inlined
   into another one, so there is one copy. */
static inline struct roost_nc_found *roost_nc_found(void) {
    static struct roost_nc_found found;
    return &found;
}

/* Lets the calling thread change the terminal while the process is in the background, instead of a stop. */
static inline void roost_nc_block_stop(sigset_t *before) {
    sigset_t stop;
    (void)sigemptyset(&stop);
    (void)sigaddset(&stop, SIGTTOU);
    (void)pthread_sigmask(SIG_BLOCK, &stop, before);
}

/* Gives the terminal back without ncurses, in a signal handler or while ncurses waits for the terminal. */
static inline void roost_nc_restore(void) {
    static const char reset[] =
        "\033[?1006l\033[?1002l\033[?1000l\033[?2004l\033[?1l\033>\033[0m\033[?25h\033[?1049l";
    struct pollfd output = {STDOUT_FILENO, POLLOUT, 0};
    sigset_t before;
    if (!roost_nc_found()->is_valid) return;
    roost_nc_block_stop(&before);
    (void)tcsetattr(STDOUT_FILENO, TCSANOW, &roost_nc_found()->settings);
    /* A terminal that reads nothing must not hold up the end; one that is writable has room for one byte. */
    for (size_t index = 0; index < sizeof reset - 1 && poll(&output, 1, 100) > 0; index++)
        if (write(STDOUT_FILENO, reset + index, 1) < 0) break;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Gives the terminal back and lets the crash take its course: core dump, backtrace and exit status stay. */
static inline void roost_nc_crashed(int number, siginfo_t *info, void *context) {
    (void)context;
    roost_nc_found()->has_crashed = 1;
    roost_nc_restore();
    for (int index = 0; index < ROOST_NC_CRASHES; index++)
        if (roost_nc_crash(index) == number) (void)sigaction(number, &roost_nc_found()->actions[index], NULL);
    /* A fault happens again at its instruction; a signal that was sent is sent again. */
    if (info->si_code <= 0 || info->si_code == SI_USER || number == SIGTRAP || number == SIGABRT) (void)raise(number);
}

/* While the process makes its backtrace, nothing is drawn any more. */
static inline int roost_nc_has_crashed(void) { return roost_nc_found()->has_crashed; }

/* Watches for crashes; the calling thread gets a stack for its own overflow. */
static inline void roost_nc_watch_crashes(void) {
    struct roost_nc_found *found = roost_nc_found();
    stack_t stack;
    struct sigaction action;
    if (tcgetattr(STDOUT_FILENO, &found->settings) != 0) return;
    found->is_valid = 1;
    memset(&stack, 0, sizeof stack);
    stack.ss_sp = found->stack;
    stack.ss_size = sizeof found->stack;
    (void)sigaltstack(&stack, NULL);
    memset(&action, 0, sizeof action);
    action.sa_sigaction = roost_nc_crashed;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    (void)sigemptyset(&action.sa_mask);
    for (int index = 0; index < ROOST_NC_CRASHES; index++) {
        (void)sigaction(roost_nc_crash(index), NULL, &found->actions[index]);
        /* A shell lets the programs behind it ignore SIGQUIT, and an ignored signal is no crash. */
        if (found->actions[index].sa_handler != SIG_IGN) (void)sigaction(roost_nc_crash(index), &action, NULL);
    }
}

/* Ends the watch, on the same thread. */
static inline void roost_nc_leave_crashes(void) {
    struct roost_nc_found *found = roost_nc_found();
    stack_t none;
    if (!found->is_valid) return;
    for (int index = 0; index < ROOST_NC_CRASHES; index++)
        (void)sigaction(roost_nc_crash(index), &found->actions[index], NULL);
    found->is_valid = 0;
    memset(&none, 0, sizeof none);
    none.ss_flags = SS_DISABLE;
    (void)sigaltstack(&none, NULL);
}

/* Takes the terminal over; returns -1 for a terminal that ncurses does not know, or in which it cannot draw. */
static inline int roost_nc_open(void) {
    SCREEN *screen;
    const char *move;
    roost_nc_set_locale();
    roost_nc_watch_crashes();
    screen = newterm(NULL, stdout, stdin);
    move = screen ? tigetstr("cup") : NULL;
    /* Without a way to place the cursor, all would be drawn over one line. */
    if (!move || move == (char *)-1) {
        if (screen) {
            endwin();
            delscreen(screen);
        }
        roost_nc_leave_crashes();
        return -1;
    }
    raw();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    intrflush(stdscr, FALSE);
    set_escdelay(25);
    mouseinterval(0);
    (void)mousemask(BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
    define_key("\033[200~", ROOST_KEY_PASTE_START);
    define_key("\033[201~", ROOST_KEY_PASTE_END);
    define_key("\033[1;5D", ROOST_KEY_WORD_LEFT);
    define_key("\033[1;3D", ROOST_KEY_WORD_LEFT);
    define_key("\033[1;5C", ROOST_KEY_WORD_RIGHT);
    define_key("\033[1;3C", ROOST_KEY_WORD_RIGHT);
    putp("\033[?2004h");
    fflush(stdout);
    return 0;
}

/* Gives the terminal back. */
static inline void roost_nc_close(void) {
    sigset_t before;
    roost_nc_block_stop(&before);
    putp("\033[?2004l");
    fflush(stdout);
    endwin();
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    roost_nc_leave_crashes();
}

/* Makes a colour with the terminal's own background. */
static inline int roost_nc_start_colors(void) {
    if (!has_colors()) return 0;
    start_color();
    use_default_colors();
    return COLORS;
}

/* The columns that ncurses takes for a character; -1 for one that the system does not know. */
static inline int roost_nc_columns(uint32_t scalar) { return wcwidth((wchar_t)scalar); }

/* Writes one character with its marks. */
static inline void roost_nc_put(
    int row, int column, const uint32_t *scalars, int count, unsigned attributes, short pair) {
    wchar_t text[CCHARW_MAX + 1];
    cchar_t cell;
    int length = count < CCHARW_MAX ? count : CCHARW_MAX;
    for (int index = 0; index < length; index++) text[index] = (wchar_t)scalars[index];
    text[length] = 0;
    if (setcchar(&cell, text, (attr_t)attributes, pair, NULL) != ERR)
        (void)mvadd_wch(row, column, &cell);
}

/* Moves the cursor without ncurses. */
static inline void roost_nc_move(int row, int column) {
    char *move = tigetstr("cup");
    if (move && move != (char *)-1) putp(tparm(move, (long)row, (long)column, 0L, 0L, 0L, 0L, 0L, 0L, 0L));
}

/* Writes a text at a place without ncurses, to which its cells stay blank; roost_nc_end_overlay follows. */
static inline void roost_nc_overlay(int row, int column, const char *text, unsigned attributes, short pair) {
    roost_nc_move(row, column);
    (void)vid_puts((attr_t)attributes, pair, NULL, putchar);
    (void)fputs(text, stdout);
}

/* Brings the cursor and the style back to those that ncurses knows. */
static inline void roost_nc_end_overlay(void) {
    (void)vid_puts(A_NORMAL, 0, NULL, putchar);
    roost_nc_move(getcury(curscr), getcurx(curscr));
    fflush(stdout);
}

static inline unsigned roost_nc_attributes(int is_bold, int is_dim, int is_reversed, int is_underlined) {
    return (unsigned)((is_bold ? A_BOLD : 0) | (is_dim ? A_DIM : 0) | (is_reversed ? A_REVERSE : 0)
        | (is_underlined ? A_UNDERLINE : 0));
}

/* Reads a key without waiting: 0 for none, 1 for a character, 2 for a key with a code. */
static inline int roost_nc_key(uint32_t *code) {
    wint_t read = 0;
    int kind = get_wch(&read);
    *code = (uint32_t)read;
    return kind == ERR ? 0 : kind == KEY_CODE_YES ? 2 : 1;
}

/* Reads the action of the mouse: 1 for a press, 2 and 3 for the wheel up and down, 0 for any other. */
static inline int roost_nc_mouse(int *row, int *column) {
    MEVENT event;
    if (getmouse(&event) != OK) return 0;
    *row = event.y;
    *column = event.x;
    if (event.bstate & BUTTON4_PRESSED) return 2;
    if (event.bstate & BUTTON5_PRESSED) return 3;
    return event.bstate & (BUTTON1_PRESSED | BUTTON1_CLICKED) ? 1 : 0;
}

/* Follows the terminal's size; returns 1 if it has changed. */
static inline int roost_nc_follow_size(int *rows, int *columns) {
    struct winsize size;
    int changed = 0;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0
        && (size.ws_row != LINES || size.ws_col != COLS)) {
        resizeterm(size.ws_row, size.ws_col);
        changed = 1;
    }
    *rows = LINES;
    *columns = COLS;
    return changed;
}

/* Everything that is written from now on is drawn again. */
static inline void roost_nc_forget(void) { clear(); }
static inline void roost_nc_flush(void) { refresh(); }

#endif
