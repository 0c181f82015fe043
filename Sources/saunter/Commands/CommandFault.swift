/// Why a command failed, in one line for the operator.
struct CommandFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
