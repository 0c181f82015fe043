import SaunterServer
import SaunterStore

extension PageRequest {
    /// Whether the visitor may act on participants of a study. An admin is a coordinator too, but does not see
    /// participants.
    func mayAct(in study: String) -> Bool {
        [Role.coordinator, .researcher].allSatisfy { identity?.grant($0, study: study) != nil }
    }

    /// The study of the address.
    /// - Throws: `not-permitted` if the visitor may not act on its participants.
    func requireStudyToAct() throws -> String {
        _ = try requireIdentity()
        let study = try path("study")
        guard mayAct(in: study) else { throw Problem(.notPermitted) }
        return study
    }
}
