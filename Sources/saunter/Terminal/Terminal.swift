import Foundation

/// What a person sees: results on standard output, everything else on standard error.
enum Terminal {
    /// A line of the result.
    static func line(_ text: String) {
        write(text + "\n", to: .standardOutput)
    }

    /// A line beside the result.
    static func note(_ text: String) {
        write(text + "\n", to: .standardError)
    }

    /// Why the command stops; one line.
    static func error(_ text: String) {
        note("saunter: \(text)")
    }

    /// Whether somebody is watching standard error.
    static var isWatched: Bool { isatty(STDERR_FILENO) == 1 }

    /// How far the work is, on one line that is written over; nothing where nobody watches.
    static func progress(_ text: String) {
        guard isWatched else { return }
        write("\r\u{1B}[K\(text)", to: .standardError)
    }

    /// Ends the line that `progress` writes.
    static func endProgress() {
        guard isWatched else { return }
        write("\r\u{1B}[K", to: .standardError)
    }

    /// Whoever was to read may be gone (`saunter check … | head`); then nobody is left to be told, and the
    /// work goes on.
    static func write(_ text: String, to handle: FileHandle) {
        try? handle.write(contentsOf: Data(text.utf8))
    }
}

/// Why a command could not do its work, in one line for the person who gave it.
struct CommandFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
