import Postgres
import SaunterCore

extension Store {
    /// The calls that write a difference between plan and store.
    static func calls(
        for difference: Reconciliation, of id: EnrolmentID, studyVersion: String, now: Instant
    ) -> [(Statement, [Parameter])] {
        var calls: [(Statement, [Parameter])] = []
        if !difference.insert.isEmpty {
            calls.append(insertCall(difference.insert, for: id, studyVersion: studyVersion, now: now))
        }
        let changed = difference.move.map(\.id) + difference.cancel
        if !changed.isEmpty {
            // In key order, before any is changed: sheets lock them so, too.
            calls.append(
                (Statements.answerSheets["lock_occasions"], [.ids(changed.map { _ in id }), .ids(changed)]))
        }
        if !difference.move.isEmpty {
            calls.append(moveCall(difference.move, of: id, studyVersion: studyVersion, now: now))
        }
        if !difference.cancel.isEmpty {
            calls.append((Statements.occasions["cancel_occasions"], [.id(id), .ids(difference.cancel)]))
        }
        return calls
    }

    static func insertCall(
        _ occasions: [Occasion], for id: EnrolmentID, studyVersion: String, now: Instant
    ) -> (Statement, [Parameter]) {
        (
            Statements.occasions["insert_occasions"],
            [
                .id(id), .text(studyVersion), .instant(now), .ids(occasions.map(\.id)),
                .texts(occasions.map(\.key.schedule)), .texts(occasions.map(\.key.anchorInstance)),
                .ints(occasions.map(\.key.dayIndex)), .ints(occasions.map(\.key.slotIndex)),
                .texts(occasions.map(\.questionnaire)),
            ] + windows(of: occasions)
        )
    }

    private static func moveCall(
        _ occasions: [Occasion], of id: EnrolmentID, studyVersion: String, now: Instant
    ) -> (Statement, [Parameter]) {
        (
            Statements.occasions["move_occasions"],
            [.id(id), .text(studyVersion), .ids(occasions.map(\.id))] + windows(of: occasions)
                + [.texts(occasions.map(\.questionnaire)), .instant(now)]
        )
    }

    /// Notes of which occasions a daily mail has told, until nobody is reminded any more.
    static func namedCall(
        _ occasions: [Occasion], of enrolment: Enrolment, in message: MessageID, _ study: Study, now: Instant
    ) -> (Statement, [Parameter]) {
        let end = enrolment.zone.startOfDay(
            enrolment.enrolledOn.adding(days: study.days + Prompting.daysAfterTheEnd + 1))
        let keys = occasions.map { PromptKey.named($0) }
        return (
            Statements.reminders["insert_reminders"],
            [
                .id(enrolment.id), .id(message), .instant(now), .texts(keys.map(\.kind.rawValue)),
                .texts(keys.map(\.subject)), .ints(keys.map(\.ordinal)),
                .instants(occasions.map { _ in now }), .instants(occasions.map { _ in end }),
                .ints(occasions.map { _ in 1 }),
                .texts(occasions.map { _ in ReminderState.suppressed.rawValue }),
                .texts(occasions.map { _ in SuppressionReason.toldBefore.rawValue }),
            ]
        )
    }

    /// What both statements take last, in this order.
    private static func windows(of occasions: [Occasion]) -> [Parameter] {
        [
            .localDates(occasions.map(\.localDate)), .texts(occasions.map(\.zone.id)),
            .instants(occasions.map(\.window.visibleAt)), .instants(occasions.map(\.window.openAt)),
            .instants(occasions.map(\.window.dueAt)), .instants(occasions.map(\.window.closeAt)),
            .bools(occasions.map(\.dstAdjusted)), .texts(occasions.map { $0.setAside?.rawValue }),
        ]
    }
}
