/// Why a command failed, in one line for the operator. The exit status of the program is 1.
package struct CommandFault: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
