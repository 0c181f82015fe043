extension StudyCheck {
    static let maximumRemindersPerOccasion = 10

    mutating func checkReminder() {
        if let percent = study.lowAdherencePercent, !(1...100).contains(percent) {
            faults.add("/low_adherence_percent", "out_of_range", "The percentage must be 1 to 100.")
        }
        guard let reminder = study.reminder else { return }
        if let time = reminder.at, reminder.quietHours.postponed(time) != time {
            faults.add("/reminder/at", "in_quiet_hours", "The daily mail would be sent in the quiet hours.")
        }
        if let maximum = reminder.maximumPerDay, !(1...Self.maximumOccasionsPerDay).contains(maximum) {
            faults.add(
                "/reminder/most_per_day", "out_of_range",
                "The maximum must be 1 to \(Self.maximumOccasionsPerDay).")
        }
        if let wait = reminder.resendAfter, !(300...7 * 86_400).contains(wait) {
            faults.add("/reminder/resend_after", "out_of_range", "The time must be 5 minutes to 7 days.")
        }
        if let least = reminder.leastChannels, !(1...reminder.channels.count).contains(least) {
            faults.add(
                "/reminder/least_channels", "out_of_range",
                "The number must be 1 to \(reminder.channels.count), the number of channels.")
        }
        if reminder.at == nil, study.notificationRules.isEmpty, study.rules.allSatisfy({ $0.message == nil }),
            study.schedules.allSatisfy(\.reminders.isEmpty)
        {
            faults.add(
                "/reminder", "nothing_to_say",
                "The study has no daily mail (`at`), no reminders of schedules, no notices and no rules with messages."
            )
        }
    }

    /// Checks that each reminder is inside every window of its schedule, and that there are no duplicates.
    mutating func checkReminders(of schedule: Schedule, _ pointer: String) {
        guard !schedule.reminders.isEmpty else { return }
        if study.reminder == nil {
            faults.add(
                "\(pointer)/reminders", "no_reminder",
                "The study needs a `reminder` section, which defines the quiet hours.")
        }
        if schedule.reminders.count > Self.maximumRemindersPerOccasion {
            faults.add(
                "\(pointer)/reminders", "too_many",
                "An occasion has at most \(Self.maximumRemindersPerOccasion) reminders.")
        }
        let due = schedule.slots.map(\.dueAfter).min() ?? 0
        let close = schedule.slots.map(\.closeAfter).min() ?? 0
        var seen: Set<ReminderTiming> = []
        for (index, reminder) in schedule.reminders.enumerated() {
            let path = "\(pointer)/reminders/\(index)"
            if !seen.insert(reminder).inserted {
                faults.add(path, "duplicate", "The list already has this reminder.")
            }
            let fits =
                switch reminder {
                case .atOpen: true
                case .afterOpen(let seconds): seconds >= 60 && seconds < close
                case .beforeDue(let seconds): seconds >= 0 && seconds <= due
                case .beforeClose(let seconds): seconds >= 60 && seconds <= close
                }
            if !fits {
                faults.add(
                    path, "outside_window",
                    "The reminder would be sent before a window opens, or too late to answer.")
            }
        }
    }

    /// Checks the notification rules and their texts.
    mutating func checkNotificationRules() {
        if !study.notificationRules.isEmpty, study.reminder == nil {
            faults.add(
                "/notices", "no_reminder",
                "The study needs a `reminder` section, which defines the quiet hours.")
        }
        var seen: Set<String> = []
        for (index, notification) in study.notificationRules.enumerated() {
            let pointer = "/notices/\(index)"
            if !Self.isIdentifier(notification.code) {
                faults.add("\(pointer)/code", "invalid_name", Self.identifierRule)
            }
            if !seen.insert(notification.code).inserted {
                faults.add("\(pointer)/code", "duplicate", "Another notice has this code.")
            }
            if case .event(let code) = notification.trigger { checkEvent(code, "\(pointer)/when") }
            let longest = Self.maximumDays * 86_400
            if !(3600...longest).contains(notification.firstAfter) {
                faults.add(
                    "\(pointer)/first_after", "out_of_range",
                    "The time must be 1 hour to \(Self.maximumDays) days.")
            }
            if !(86_400...longest).contains(notification.repeatEvery) {
                faults.add(
                    "\(pointer)/repeat_every", "out_of_range",
                    "The time must be 1 to \(Self.maximumDays) days.")
            }
            if !(1...100).contains(notification.maximumMessages) {
                faults.add("\(pointer)/at_most", "out_of_range", "The number must be 1 to 100.")
            }
            if let code = notification.until, study.questionnaire(code) == nil {
                faults.add(
                    "\(pointer)/until", "unknown_questionnaire", "The study has no questionnaire \(code).",
                    naming: code)
            }
            for language in study.languages {
                guard let text = study.text[language], text.notificationTexts[notification.code] == nil else {
                    continue
                }
                faults.add(
                    "/text/\(Fault.escape(language))/notices", "missing_text",
                    "There is no text for notice \(notification.code).")
            }
        }
    }
}
