/// The small study that `saunter new` and `POST /v1/staff/studies` start from: the complete example of
/// `Questionnaires/README.md`. A test compares both.
package enum StudyTemplate {
    /// The code of the study in `files`.
    package static let code = "day-mood"

    /// The text of each file, by its path below the folder of the packs.
    package static let files: [(path: String, text: String)] = [
        (
            "instruments/day_mood/1.0.0/questionnaire.yaml",
            """
            code: day_mood
            version: 1.0.0
            languages: [en]              # the first language is the fallback
            minutes: 1                   # expected time to answer
            license: Apache-2.0
            edit: {correctWithin: 24h}   # optional; without it, a submitted sheet is final; see also deleteWithin
            optionSets:
              degree: [0, 1, 2, 3]
            item:
              - linkId: mood
                type: choice
                required: true
                answerOption: {set: degree}
              - linkId: calm
                type: choice
                answerOption: {set: degree}
              - linkId: unrest
                type: choice
                answerOption: {set: degree}
              - linkId: reasons
                type: choice
                repeats: true
                answerOption: [work, home, {value: none, exclusive: true}]
                enableWhen:
                  - {question: unrest, operator: ">=", answer: 2}
              - {linkId: note, type: text, maxLength: 500}

            """
        ),
        (
            "instruments/day_mood/1.0.0/text.en.yaml",
            """
            title: The mood of the day
            description: A few quick questions.
            items:
              mood: How good was your mood?
              calm: How calm were you?
              unrest: How restless were you?
              reasons: What was it about?
              note: Would you like to add something?
            option_sets:                 # labels for all items that use the set
              degree: {0: not at all, 1: a little, 2: fairly, 3: very}
            options:                     # labels of one item; they override the labels of its set
              reasons: {work: work, home: home, none: nothing in particular}
            scales:
              balance: Balance
            bands:
              balance: {low: low, high: high}

            """
        ),
        (
            "instruments/day_mood/1.0.0/scoring.yaml",
            """
            version: 1.0.0
            scales:
              - id: balance
                items: [mood, calm, unrest]
                reverse: [unrest]                        # the value becomes minimum + maximum - value of the declared range
                method: sum
                missing: {min_answered: 2}               # the default is `complete`: a blank item makes the score null
                factor: 1                                # score = value x factor + offset
                offset: 0
                rounding: {places: 1, mode: half_even}   # half_even, half_up, down or up; without it, no rounding
                bands:
                  - {id: low, below: 5}
                  - {id: high, from: 5}
                minimum: 0
                maximum: 9
                shown_to_participant: true

            """
        ),
        (
            "instruments/day_mood/1.0.0/vectors.csv",
            """
            case,mood,calm,unrest,reasons,note,score.balance,band.balance,reason.balance
            lowest,0,0,3,work|home,,0,low,
            highest,3,3,0,,,9,high,
            one blank is prorated,3,,1,,,7.5,high,
            two blanks,3,,,,,,,too_few_answered

            """
        ),
        (
            "studies/day-mood/study.yaml",
            """
            code: day-mood
            version: 1.0.0
            consent_version: 1.0.0      # increase it when the consent text changes: participants are asked to consent again
            open_enrolment: true        # false: participants need an enrolment code
            languages: [en]
            zone: Europe/Berlin         # used if a participant's zone is unknown
            days: 14                    # number of the last day; the day of enrolment is day 0, so the study has 15 dates
            arms:
              - {code: everybody, ratio: 1}
            allocation: {block_sizes: [2], concealed: false}
            questionnaires:             # in the order of the overview
              - {code: day_mood, version: 1.0.0}
            any_time: []                # entries: questionnaires that can be answered without an occasion
            settings: []                # questionnaires whose newest sheet contains settings
            features: []                # functions of the app, in the order of its navigation
            data_kinds: []              # kinds of data that need the participant's own permission
            covariates: []              # sources of the covariates of scoring keys
            walking:                    # leave this section out if the study has no walks
              requires_calibration: false
              reduction_percent: {minimum: 10, maximum: 30}
              target_feedback_arms: [everybody]
            reminder: {at: "18:30", quiet_from: "21:00", quiet_to: "07:30", most_per_day: 6, channels: [push, mail]}   # without it, no messages
            notices:                    # messages that do not belong to an occasion
              - {code: come_back, when: inactive, first_after: 3d, repeat_every: 7d, at_most: 2}   # optional: until
            low_adherence_percent: 50   # alert staff below this adherence; without it, no alerts
            licences:
              - {name: Saunter, license: Apache-2.0, holder: the Saunter authors}

            """
        ),
        (
            "studies/day-mood/schedule.yaml",
            """
            schedules:
              - id: evening             # part of the identity of every occasion: never change its meaning
                questionnaire: day_mood
                arms: []                # empty or left out: every arm
                anchor: enrolment       # defines day 0
                offset_days: 0
                recurrence: {every: {days: 1, until_day: 13}}
                slots:
                  - {open: "17:00", due_after: 5h, close_after: 7h, visible_before: 1h}
                zone_policy: participant   # participant, enrolment or {study: Europe/Berlin}
                late_policy: flag          # a sheet after the close is stored; with `complete` it also fulfils the occasion
                reminded: true             # whether the daily mail includes these occasions
                reminders: [at_open, {before_due: 2h}]   # reminders of each single occasion

            """
        ),
        (
            "studies/day-mood/content/text.en.yaml",
            """
            title: Two weeks of mood
            summary: One quick questionnaire every evening.
            arms:
              everybody: {title: Everybody, text: You answer every evening.}
            reminder:                   # placeholders: {{name}}, {{study}}, {{count}}, {{titles}}, {{url}}
              subject: "{{study}}: {{count}} open today"
              body: |
                Hello {{name}}, this is still open today: {{titles}}
                {{url}}
            notices:                    # placeholders: {{name}}, {{study}}, {{url}}
              come_back: {subject: "{{study}}", body: "Hello {{name}}, we have not heard from you: {{url}}"}
            notification:               # text on a phone; placeholders: {{study}}, {{count}}, {{closes}}
              subject: Something to do
              body: "Until {{closes}}"
            prompt:                     # reminders of single occasions; placeholders: those of `reminder`, and {{closes}}
              subject: "{{study}}: until {{closes}}"
              body: |
                Hello {{name}}: {{titles}}
                {{url}}

            """
        ),
        (
            "studies/day-mood/content/course.en.yaml",
            """
            steps:
              - {title: Every evening, text: From five o'clock you answer a few quick questions.}

            """
        ),
        (
            "studies/day-mood/content/consent.en.md",
            """
            # Consent

            You answer one quick questionnaire every evening for two weeks, and may stop at any time.

            """
        ),
    ]

    /// The files with another code of the study.
    package static func files(study: String) -> [(path: String, text: String)] {
        files.map { file in
            (
                file.path.replacing("studies/\(code)/", with: "studies/\(study)/"),
                file.text.replacing("code: \(code)", with: "code: \(study)")
            )
        }
    }
}
