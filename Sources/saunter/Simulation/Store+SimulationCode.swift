import Console
import SaunterCore
import SaunterStore

extension Store {
    /// Runs `body` with an enrolment code for simulated participants, and then revokes the code.
    /// - Parameters:
    ///   - participants: how many participants join.
    ///   - start: the beginning of the simulated time.
    ///   - end: its end.
    ///   - body: gets nil for a study with open enrolment, which needs no code.
    func withSimulationCode<Result>(
        for study: Study, participants: Int, from start: Instant, until end: Instant,
        _ body: (String?) async throws -> Result
    ) async throws -> Result {
        guard !study.openEnrolment else { return try await body(nil) }
        let batch = EnrolmentCodeBatch(
            study: study.code, label: "Simulated participants", count: 1, maximumUses: participants,
            expiresAt: end.adding(seconds: 86_400))
        guard let made = try await insertEnrolmentCodes(batch, by: .system, now: start).first else {
            throw CommandFault("no enrolment code could be created")
        }
        do {
            let result = try await body(made.secret.text)
            _ = try await revokeEnrolmentCode(made.code.id, study: study.code, by: .system, now: end)
            return result
        } catch {
            _ = try await revokeEnrolmentCode(made.code.id, study: study.code, by: .system, now: end)
            throw error
        }
    }
}
