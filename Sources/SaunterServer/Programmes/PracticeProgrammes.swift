import SaunterCore
import SaunterStore

extension ServerContext {
    /// The codes of the programmes that contain a practice, in the order of the live edition. Withdrawn programmes are
    /// left out. Nil if the questionnaire is no practice of the participant's version of the study.
    package func programmes(with practice: String, of enrolment: String) async throws -> [String]? {
        let study = try await study(of: try await self.enrolment(enrolment)).study
        guard study.isPractice(practice) else { return nil }
        let library = try await content.findLive(study)?.library
        return OfferedProgrammes(of: library, in: study).programmes.filter { $0.modules.contains(practice) }
            .map(\.code)
    }

    /// The programmes that have left the lists, in the order of the live edition, with their titles in the language of
    /// the enrolment. Their entries stay readable.
    package func withdrawnProgrammes(of enrolment: String) async throws -> [(code: String, title: String)] {
        let found = try await self.enrolment(enrolment)
        let programmes = try await content.findLive(try await study(of: found).study)?.library.programmes
        return (programmes ?? []).filter(\.isWithdrawn).map {
            ($0.code, $0.words(in: found.language).title)
        }
    }

    /// The ids of the schedules of the participant's version of the study, in its order.
    package func scheduleOrder(of enrolment: String) async throws -> [String] {
        try await study(of: try await self.enrolment(enrolment)).study.schedules.map(\.id)
    }

    private func enrolment(_ id: String) async throws -> Enrolment {
        guard let id = EnrolmentID(id), let found = try await enrolments.find(id) else {
            throw Problem(.notFound)
        }
        return found
    }
}
