import HTTPTypes
import SaunterCore

@testable import SaunterServer

/// Bodies of entries of the study `small-steps`, and requests that submit them.
enum SampleEntry {
    static let study = "small-steps"

    /// The body of an entry.
    /// - Parameters:
    ///   - minutes: when it was completed, in minutes before the time of the fixture.
    ///   - sheet: the sheet that it is about.
    static func body(
        _ questionnaire: String, _ answers: JSON, minutes: Int = 0, about sheet: String? = nil
    ) -> JSON {
        let completed = JSON.instant(ServerFixture.now.adding(seconds: -60 * minutes))
        let changes: JSON = ["started_at": completed, "completed_at": completed]
        let body = SampleSheet.body(questionnaire, answers, changes)
        return sheet.map { body.with(["refers_to": .string($0)]) } ?? body
    }

    static func mood(_ mood: Int = 5, _ more: JSON = [:], minutes: Int = 0) -> JSON {
        let answers: JSON = ["mood": .int(mood)]
        return body("step_mood", answers.with(more), minutes: minutes)
    }

    static func promise(_ text: String = "sleep", by date: String? = nil, minutes: Int = 0) -> JSON {
        let answers: JSON = ["promise_text": .string(text)]
        return body(
            "promise", date.map { answers.with(["by": .string($0)]) } ?? answers, minutes: minutes)
    }

    static func kept(_ promise: String, minutes: Int = 0) -> JSON {
        body("promise_kept", ["kept": true], minutes: minutes, about: promise)
    }

    static func end(_ promise: String, minutes: Int = 0) -> JSON {
        body("promise_end", ["again": false], minutes: minutes, about: promise)
    }

    static let place: JSON = ["place": ["lat": 52.520_008, "lon": 13.404_954, "accuracy_m": 30]]
}

extension APICaller {
    /// Submits an entry that must be accepted, and returns its id and the receipt.
    func submit(_ entry: JSON) async throws -> (id: String, receipt: JSON) {
        let id = SampleBatch.newID()
        return (id, try await create("answer-sheets", entry, id: id))
    }

    /// The ids of a list of answer sheets, in order.
    /// - Parameter query: without the question mark.
    func listed(_ query: String) async throws -> [String] {
        try await pages(own("/answer-sheets?\(query)")).compactMap { $0["sheet_id"]?.string }
    }

    /// One stored answer sheet.
    func sheet(_ id: String) async throws -> JSON {
        let answer = try await get(own("/answer-sheets/\(id)"))
        return answer.json
    }

    /// Permits or revokes kinds of data.
    func permit(_ kinds: JSON) async throws -> Answer {
        try await send(.patch, own(""), ["data_kinds": kinds])
    }
}
