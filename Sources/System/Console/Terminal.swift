import Foundation

/// Writes results to standard output and everything else to standard error. Errors of writing are ignored: the reader
/// may have closed the pipe (`saunter check … | head`), and the work continues.
package enum Terminal {
    /// Writes a line of the result.
    package static func line(_ text: String) {
        write(text + "\n", to: .standardOutput)
    }

    /// Writes a line that is not part of the result.
    package static func note(_ text: String) {
        write(text + "\n", to: .standardError)
    }

    /// Writes in one line why the command stops, after the name of the program.
    package static func error(_ text: String) {
        note("\(ProcessInfo.processInfo.processName): \(text)")
    }

    /// Whether standard error is a terminal.
    package static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Replaces the progress line. Does nothing if standard error is not a terminal.
    package static func progress(_ text: String) {
        guard isTerminal else { return }
        // A longer line would wrap, and could not be overwritten.
        write("\r\u{1B}[K\(text.prefix(max(10, width - 1)))", to: .standardError)
    }

    /// Clears the progress line.
    package static func endProgress() { progress("") }

    /// Writes text as it is.
    package static func write(_ text: String, to handle: FileHandle) {
        try? handle.write(contentsOf: Data(text.utf8))
    }

    /// The width of the terminal in characters.
    private static var width: Int {
        var size = winsize()
        return ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }
}
