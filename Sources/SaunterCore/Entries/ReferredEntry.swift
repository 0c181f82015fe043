/// The sheet that another sheet names in `refers_to`, as far as the rules of entries need it.
package struct ReferredEntry: Sendable, Hashable {
    /// The code of its questionnaire.
    package var questionnaire: String
    /// Whether the participant deleted it.
    package var isDeleted: Bool
    /// When the entry was replaced or ended; nil while it is active, and if its questionnaire has no active entries.
    package var endedAt: Instant?

    /// Creates the description of an entry; by default of an active one.
    package init(questionnaire: String, isDeleted: Bool = false, endedAt: Instant? = nil) {
        self.questionnaire = questionnaire
        self.isDeleted = isDeleted
        self.endedAt = endedAt
    }

    /// Whether the entry no longer counted when a sheet that refers to it was completed. A deleted entry never counts.
    package func isEnded(at completion: Instant) -> Bool {
        isDeleted || endedAt.map { $0 <= completion } ?? false
    }
}

extension AnyTimeRule {
    /// The fault of a sheet's `refers_to`; nil if the reference is permitted.
    /// - Parameters:
    ///   - rule: the rule of the sheet's questionnaire; nil if it is not in `any_time`.
    ///   - isGiven: whether the sheet names another sheet.
    ///   - entry: that sheet; nil if the enrolment has no sheet with this id.
    package static func referenceFault(
        of rule: AnyTimeRule?, isGiven: Bool, entry: ReferredEntry?
    ) -> Fault? {
        guard let reference = rule?.refersTo else {
            guard isGiven else { return nil }
            return Fault(
                pointer: "/refers_to", code: "wrong_entry",
                detail: "Sheets of this questionnaire do not refer to another sheet.")
        }
        guard isGiven else {
            guard reference.isRequired else { return nil }
            return Fault(
                pointer: "/refers_to", code: "required",
                detail: "The sheet must name the sheet of \(reference.questionnaire) that it is about.")
        }
        guard let entry else {
            return Fault(
                pointer: "/refers_to", code: "unknown_entry",
                detail: "The enrolment has no answer sheet with this id.")
        }
        guard entry.questionnaire == reference.questionnaire else {
            return Fault(
                pointer: "/refers_to", code: "wrong_entry",
                detail: "The sheet must refer to a sheet of \(reference.questionnaire).")
        }
        return nil
    }
}
