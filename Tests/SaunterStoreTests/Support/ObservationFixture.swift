import Foundation
import SaunterCore

@testable import SaunterStore

enum ObservationFixture {
    /// Two blood pressures an hour apart. The second one has only the systolic value.
    static func make(
        _ enrolment: EnrolmentID, _ id: ObservationID = ObservationID(UUID()), startedAt: Instant = .start,
        digest: [UInt8] = [4]
    ) throws -> ObservationSubmission {
        func code(_ code: String) -> ObservationCode {
            ObservationCode(system: ObservationCode.loinc, code: code)
        }
        return ObservationSubmission(
            enrolment: enrolment, study: "walking", id: id,
            observation: try Observation(
                code: ObservationCode(loinc: "85354-9", "Blood pressure"), startedAt: startedAt,
                endedAt: startedAt.plus(hours: 1), statistic: "average", tMs: [0, 3_600_000],
                untilMs: [1000, 3_600_000],
                components: [
                    .init(code: code("8480-6"), unit: "mm[Hg]", values: [121, 125.5]),
                    .init(code: code("8462-4"), unit: "mm[Hg]", values: [79, nil]),
                ]),
            zone: .utc, offsetMin: 60, device: ["model": "Cuff 2"], provenance: ["exact": .string("0.10")],
            detail: ["position": "sitting"], flags: ["clock_ahead"], skewMs: 5,
            receivedAt: startedAt.plus(hours: 2), digest: digest, body: "observation")
    }
}
