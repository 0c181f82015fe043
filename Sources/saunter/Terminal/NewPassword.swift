import Console
import Foundation
import SaunterCore
import SaunterStore

/// A password for a new account: read from a file, typed, or generated.
struct NewPassword {
    var text: String { secret.revealed }
    private let secret: Secret<String>
    /// Whether it was generated, so that the command must print it once.
    let isGenerated: Bool

    /// - Parameter file: a path, or `-` for standard input; nil asks at a terminal, otherwise generates a password.
    init(file: String?) throws {
        if let file {
            secret = Secret(try Self.checked(file == "-" ? readLine() ?? "" : Self.read(file)))
            isGenerated = false
        } else if isatty(STDIN_FILENO) == 1 {
            let typed = try Self.checked(Self.ask("Password (at least 8 characters): "))
            guard try Self.ask("Repeat the password: ") == typed else {
                throw CommandFault("the two passwords differ")
            }
            secret = Secret(typed)
            isGenerated = false
        } else {
            secret = Secret(String(RandomToken.make().text.prefix(20)))
            isGenerated = true
        }
    }

    private static func read(_ path: String) throws -> String {
        guard let data = try? Data(contentsOf: URL(filePath: path)), data.count <= 4096,
            let text = String(validating: data, as: UTF8.self)
        else { throw CommandFault("the password file \(path) cannot be read") }
        return String(text.prefix { !$0.isNewline })
    }

    /// The same rules as at registration.
    private static func checked(_ text: String) throws -> String {
        guard (8...256).contains(text.count) else {
            throw CommandFault("a password must have 8 to 256 characters")
        }
        guard StringFormat.password.accepts(text) else {
            throw CommandFault("choose \(StringFormat.password.expectation)")
        }
        return text
    }

    /// Reads a line without showing it.
    private static func ask(_ question: String) throws -> String {
        Terminal.write(question, to: .standardError)
        var before = termios()
        guard tcgetattr(STDIN_FILENO, &before) == 0 else {
            throw CommandFault("the terminal cannot hide a password")
        }
        var hidden = before
        hidden.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
            Terminal.write("\n", to: .standardError)
        }
        return readLine() ?? ""
    }
}
