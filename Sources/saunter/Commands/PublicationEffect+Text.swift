import SaunterCore

extension PublicationEffect {
    /// For people: the whole in a sentence, then a table by schedule and arm.
    var sentences: [String] {
        guard enrolments > 0 || awaitingConsent > 0 else {
            return ["Nobody is enrolled in another version: nothing changes for anybody."]
        }
        var lines = [
            """
            Of \(enrolments) participants \(total.moved) future occasions move, \(total.cancelled) are cancelled, \
            \(total.added) are added, \(total.open) open ones stay as they are.
            """
        ]
        if total.told > 0 {
            lines.append("A mail has told of \(total.told) that go elsewhere; none tells of them again.")
        }
        if let through {
            lines.append("Looked at until \(through); what is planned after that is not counted.")
        }
        if awaitingConsent > 0 {
            lines.append(
                "\(awaitingConsent) participants stay on their version until they consent to the new text.")
        }
        lines += lostArmSentences
        guard !self.lines.isEmpty else { return lines }
        var table = TextTable(["schedule", "arm", "move", "cancelled", "added", "told before", "open"])
        for (place, counts) in self.lines {
            table.append(
                [place.schedule, place.arm]
                    + [counts.moved, counts.cancelled, counts.added, counts.told, counts.open]
                    .map { String($0) })
        }
        return lines + table.lines
    }

    /// One for each arm that the version leaves out.
    var lostArmSentences: [String] {
        lostArms.sorted { $0.key < $1.key }.map { arm, participants in
            "\(participants) of them are in arm \(arm), which this version does not have: nothing that is bound to an arm is asked of "
                + "them. Keep the arm, or give them another."
        }
    }
}
