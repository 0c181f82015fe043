/// Why a command failed, in one line for the operator. The exit status of the program is 1.
package struct CommandFault: Error, CustomStringConvertible {
    /// One line for the operator.
    package let description: String

    /// Creates a fault with this line.
    package init(_ description: String) {
        self.description = description
    }
}
