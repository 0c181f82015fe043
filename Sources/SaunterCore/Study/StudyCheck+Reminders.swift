extension StudyCheck {
    static let mostPromptsPerOccasion = 10

    mutating func checkReminder() {
        if let percent = study.lowAdherencePercent, !(1...100).contains(percent) {
            faults.add("/low_adherence_percent", "out_of_range", "It is 1 to 100.")
        }
        guard let reminder = study.reminder else { return }
        if let hour = reminder.at, reminder.awake(hour) != hour {
            faults.add("/reminder/at", "in_quiet_hours", "The daily mail would go out in the quiet span.")
        }
        if let most = reminder.mostPerDay, !(1...Self.maximumPromptsPerDay).contains(most) {
            faults.add(
                "/reminder/most_per_day", "out_of_range", "It is 1 to \(Self.maximumPromptsPerDay).")
        }
        if let wait = reminder.resendAfter, !(300...7 * 86_400).contains(wait) {
            faults.add("/reminder/resend_after", "out_of_range", "It is 5 minutes to 7 days.")
        }
        if reminder.at == nil, study.notices.isEmpty, study.schedules.allSatisfy(\.prompts.isEmpty) {
            faults.add(
                "/reminder", "nothing_to_say",
                "There is no hour for a daily mail, and no schedule has reminders of its own.")
        }
    }

    /// Each falls into every window of its schedule, and none stands there twice.
    mutating func checkPrompts(of schedule: Schedule, _ pointer: String) {
        guard !schedule.prompts.isEmpty else { return }
        if study.reminder == nil {
            faults.add(
                "\(pointer)/reminders", "no_reminder",
                "The study's `reminder` says when people are left in peace; it is missing.")
        }
        if schedule.prompts.count > Self.mostPromptsPerOccasion {
            faults.add(
                "\(pointer)/reminders", "too_many",
                "An occasion has at most \(Self.mostPromptsPerOccasion) reminders.")
        }
        let due = schedule.slots.map(\.dueAfter).min() ?? 0
        let close = schedule.slots.map(\.closeAfter).min() ?? 0
        var seen: Set<PromptRule> = []
        for (index, prompt) in schedule.prompts.enumerated() {
            let place = "\(pointer)/reminders/\(index)"
            if !seen.insert(prompt).inserted {
                faults.add(place, "duplicate", "The same reminder stands here twice.")
            }
            let fits =
                switch prompt {
                case .atOpen: true
                case .afterOpen(let seconds): seconds >= 60 && seconds < close
                case .beforeDue(let seconds): seconds >= 0 && seconds <= due
                case .beforeClose(let seconds): seconds >= 60 && seconds <= close
                }
            if !fits {
                faults.add(
                    place, "outside_window",
                    "It would come before a window opens, or when there is no time left to answer.")
            }
        }
    }

    /// Rules for messages that no occasion asks for, and their words.
    mutating func checkNotices() {
        if !study.notices.isEmpty, study.reminder == nil {
            faults.add(
                "/notices", "no_reminder",
                "The study's `reminder` says when people are left in peace; it is missing.")
        }
        var seen: Set<String> = []
        for (index, notice) in study.notices.enumerated() {
            let pointer = "/notices/\(index)"
            if !Self.isIdentifier(notice.code) {
                faults.add("\(pointer)/code", "invalid_name", Self.identifierRule)
            }
            if !seen.insert(notice.code).inserted {
                faults.add("\(pointer)/code", "duplicate", "Another one has this code.")
            }
            if case .event(let code) = notice.trigger { checkEvent(code, "\(pointer)/when") }
            let longest = Self.maximumDays * 86_400
            if !(3600...longest).contains(notice.firstAfter) {
                faults.add("\(pointer)/first_after", "out_of_range", "It is an hour or more.")
            }
            if !(86_400...longest).contains(notice.repeatEvery) {
                faults.add("\(pointer)/repeat_every", "out_of_range", "It is a day or more.")
            }
            if !(1...100).contains(notice.most) {
                faults.add("\(pointer)/at_most", "out_of_range", "It is 1 to 100.")
            }
            if let code = notice.until, study.questionnaire(code) == nil {
                faults.add(
                    "\(pointer)/until", "unknown_questionnaire", "The study has no questionnaire \(code).")
            }
            for language in study.languages {
                guard let text = study.text[language], text.notices[notice.code] == nil else { continue }
                faults.add(
                    "/text/\(Fault.escape(language))/notices", "missing_text",
                    "There are no words for notice \(notice.code).")
            }
        }
    }
}
