import HTTPTypes
import SaunterCore
import SaunterServer

/// A form that changes a draft: read, change, and write with the revision that was read. If that is not possible, the
/// page shows the form again with everything that was typed.
struct DraftForm {
    /// How often a change is made again because another part of the draft changed in the meantime.
    private static let attempts = 3

    /// The draft, read before everything that is compared with the form.
    private(set) var visit: DraftVisit
    /// The values that were sent.
    let typed: DraftValuesForm
    var faults: FormFaults
    /// Key of a value -> what it is now, because another editor changed it.
    private(set) var conflicts: [String: String] = [:]

    /// - Throws: `not-permitted` if the visitor may not change the draft.
    init(_ request: PageRequest) async throws {
        visit = try await DraftVisit(request)
        try visit.requireEditor()
        typed = DraftValuesForm(request.call.body)
        faults = FormFaults(request.words)
    }

    /// Runs the handler of a form. If the session or the draft has ended, the reply has all fields of the form.
    static func handle(
        _ request: PageRequest, _ renderer: PageRenderer,
        _ handler: (inout DraftForm) async throws -> Reply
    ) async throws -> Reply {
        let study = try request.path("study")
        return try await FormAgain.keep(request, renderer, draftOf: study) {
            try await FormAgain.beginDraft(of: study, request)
            var form = try await DraftForm(request)
            return try await handler(&form)
        }
    }

    /// Makes a change. If another editor changed the draft in the meantime, it is made again with the newest state.
    /// - Returns: nil if the draft changes all the time.
    static func repeated<Value>(_ change: () async throws -> Value) async throws -> Value? {
        for _ in 1...attempts {
            do {
                return try await change()
            } catch let problem as Problem where problem.type.status == 412 {
                continue
            }
        }
        return nil
    }

    /// Makes the change of the form.
    /// - Parameters:
    ///   - field: the id of the field with what prevents the change; nil for the whole form.
    ///   - onRejection: adds the faults of the route; nil to add each of them at the field.
    ///   - change: reads, changes and writes. It returns the address to which the form leads, or nil after it has added
    ///     faults. After a change by another editor it runs again.
    /// - Returns: nil if the page shows the form again with the faults.
    mutating func save(
        at field: String? = nil, onRejection: ((inout DraftForm, Problem) async throws -> Void)? = nil,
        _ change: (inout DraftForm) async throws -> String?
    ) async throws -> Reply? {
        do {
            for _ in 1...Self.attempts {
                do {
                    return try await change(&self).map { PageRenderer.redirect($0) }
                } catch let problem as Problem where problem.type.status == 412 {
                    visit = try await DraftVisit(visit.request)
                }
            }
            faults.add(visit.request.words.text("draft", "fault_busy"), field: field)
        } catch let problem as Problem where [400, 413, 415, 422].contains(problem.type.status) {
            if let onRejection {
                try await onRejection(&self, problem)
            } else {
                for line in problem.lines { faults.add(line, field: field) }
            }
        }
        return nil
    }

    /// Makes the change of a form with a file.
    mutating func saveFile(
        _ change: (inout DraftForm, [UInt8]) async throws -> String
    ) async throws -> Reply? {
        let call = visit.request.call
        let file = UploadedFile(
            field: "file", in: call.rawBody, contentType: call.headers[.contentType] ?? "")
        guard let file, !file.bytes.isEmpty else {
            faults.add(visit.request.words.text("draft", "fault_choose_file"), field: "file")
            return nil
        }
        return try await save(at: "file") { form in try await change(&form, file.bytes) }
    }

    /// The values that the visitor changed; nil if another editor changed one of them too. The conflicts are faults at
    /// their fields then.
    /// - Parameter name: a value as faults name it, by its key. A value that was removed has no field.
    mutating func changes(
        of values: [DraftValue], name: (_ key: String, _ isRemoved: Bool) -> String
    ) -> [(value: DraftValue, typed: String)]? {
        let words = visit.request.words
        let outcome = typed.outcome(now: values)
        for (field, now) in outcome.conflicts {
            guard let now else {
                let place = ["place": name(field.key, true), "text": field.typed]
                faults.add(words.text("draft", "fault_value_removed", place), field: nil)
                continue
            }
            conflicts[field.key] = now
            faults.add(
                words.text("draft", "fault_value_changed", ["name": name(field.key, false)]),
                field: DraftFormView.id(of: field.key, in: values))
        }
        return outcome.conflicts.isEmpty ? outcome.changes : nil
    }
}
