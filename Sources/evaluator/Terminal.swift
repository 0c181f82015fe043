import Foundation

/// What a person sees: results on standard output, everything else on standard error.
enum Terminal {
    /// A line of the result.
    static func line(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }

    /// A line beside the result.
    static func note(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }

    /// Why the command stops.
    static func error(_ text: String) {
        note("evaluator: \(text)")
    }

    /// How far the work is, on one line that is written over; nothing where nobody watches.
    static func progress(_ text: String) {
        guard isWatched else { return }
        // A line that is too long would begin a new one, which nothing writes over.
        FileHandle.standardError.write(Data("\r\u{1B}[K\(text.prefix(max(10, width - 1)))".utf8))
    }

    /// Ends the line that `progress` writes.
    static func endProgress() { progress("") }

    /// Characters on a line of the terminal.
    private static var width: Int {
        var size = winsize()
        return ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    /// Whether somebody is watching standard error.
    private static var isWatched: Bool { isatty(STDERR_FILENO) == 1 }
}
