import SaunterCore
import SaunterServer

extension Problem {
    /// The error for a query parameter with an invalid value.
    /// - Parameter detail: a sentence about what the value must be.
    static func invalidParameter(_ name: String, _ detail: String) -> Problem {
        Problem(
            .requestInvalid, Faults([Fault(pointer: "/\(name)", code: "wrong_format", detail: detail)]))
    }
}
