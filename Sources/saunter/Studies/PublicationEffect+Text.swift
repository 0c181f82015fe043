import SaunterCore

extension PublicationEffect {
    /// The text for the terminal: the totals as sentences, then a table by schedule and arm.
    var sentences: [String] {
        guard enrolments > 0 || awaitingConsent > 0 else {
            return ["No participant is enrolled in another version, so nothing changes for participants."]
        }
        var lines = [
            """
            For \(enrolments) participants, \(total.moved) future occasions move, \(total.cancelled) are cancelled, \
            \(total.added) are added, \(total.open) open ones stay as they are.
            """
        ]
        if total.alreadyAnnounced > 0 {
            lines.append(
                "A mail has already announced \(total.alreadyAnnounced) moved occasions; they are not announced again."
            )
        }
        if let through {
            lines.append("Occasions after \(through) are not counted.")
        }
        if awaitingConsent > 0 {
            lines.append(
                "\(awaitingConsent) participants stay on their version until they consent to the new text.")
        }
        lines += lostArmSentences
        guard !self.lines.isEmpty else { return lines }
        var table = TextTable(["schedule", "arm", "move", "cancelled", "added", "announced", "open"])
        for (group, counts) in self.lines {
            table.append(
                [group.schedule, group.arm]
                    + [counts.moved, counts.cancelled, counts.added, counts.alreadyAnnounced, counts.open]
                    .map { String($0) })
        }
        return lines + table.lines
    }

    /// One sentence for each arm that the version removes.
    var lostArmSentences: [String] {
        lostArms.sorted { $0.key < $1.key }.map { arm, participants in
            "\(participants) of them are in arm \(arm), which this version does not have: they get no "
                + "occasions that depend on an arm. Keep the arm, or assign them another arm."
        }
    }
}
