@testable import SaunterPacks

/// An invented instrument whose key uses every member of a scoring key.
enum NightPack {
    static let folder = "instruments/night/1.0.0/"

    static let files = PackFiles(files: [
        folder + "questionnaire.yaml": questionnaire, folder + "text.en.yaml": text,
        folder + "scoring.yaml": scoring, folder + "vectors.csv": vectors,
        folder + "tables/raw.csv": rawTable, folder + "tables/people.csv": peopleTable,
    ])

    static let questionnaire = """
        code: night
        version: 1.0.0
        languages: [en]
        optionSets:
          degree: [0, 1, 2, 3]
        item:
          - {linkId: bed, type: time}
          - {linkId: rise, type: time}
          - {linkId: minutes, type: integer, minValue: 0, maxValue: 600}
          - {linkId: ease, type: choice, answerOption: [easy, hard]}
          - {linkId: q1, type: choice, answerOption: {set: degree}}
          - {linkId: q2, type: choice, answerOption: {set: degree}}
          - {linkId: sex, type: choice, answerOption: [f, m]}

        """

    static let text = """
        title: A night
        items: {bed: To bed, rise: Out of bed, minutes: Minutes, ease: Ease, q1: First, q2: Second, sex: Sex}
        option_sets:
          degree: {0: never, 1: once, 2: twice, 3: often}
        options:
          ease: {easy: easy, hard: hard}
          sex: {f: female, m: male}
        scales:
          {in_bed: In bed, up: Up, rest: Rest, often: Often, steps: Steps, quiet: Quiet, share: Share, latency: Latency, points: Points, place: Place}
        bands:
          often: {none: none, some: some}

        """

    static let scoring = """
        version: 1.0.0
        covariates:
          - {id: age, from: profile}
          - {id: sex, item: sex}
          - {id: arm, from: enrolment, codes: [a, b]}
        tables:
          - {id: raw, file: tables/raw.csv, source: made up, sha256: e6188b9fe271df2124d0ceeb3e03a726ec2b91a8dc8b471150934c8984e50a53}
          - {id: people, file: tables/people.csv, source: made up, sha256: cdc0e38a5070acf5faf950b49ee0deac6709628b29bb0fcb0db5bcf323f75111}
        scales:
          - {id: in_bed, items: [bed, rise], method: elapsed, unit: hours}
          - {id: up, items: [rise], method: clock}
          - id: rest
            items: [q1, q2, ease]
            reverse: [q1]
            recode: [{items: [ease], to: {easy: 0, hard: 2}}]
            method: sum
            weights: {q1: 2}
            blanks: {not_applicable: leave_out, refused: 1}
            missing: {min_share: 0.5, impute: person_median}
          - id: often
            items: [q1, q2]
            method: count
            where: {from: 1}
            missing: {min_answered: 1, then: answered}
            bands:
              - {id: none, below: 1}
              - {id: some, from: 1}
            change:
              {sd: 1.5, reliability: 0.8, source: made up, baseline: previous, direction: lower_is_better, important: 1}
          - id: steps
            items: [q1, q2]
            method: product
            missing: exclude
            transform:
              - {multiply: 2}
              - {divide: 4}
              - {add: -1}
              - {clamp: {from: 0, up_to: 2}}
              - {wrap: 1}
              - {round: {places: 1, mode: half_up}}
              - pomp
          - {id: quiet, items: [rest, often], method: difference}
          - {id: share, items: [rest, often], method: quotient}
          - id: latency
            items: [minutes]
            method: value
            transform:
              - bins:
                  - {up_to: 15, value: 0}
                  - {above: 15, up_to: 30, value: 1}
                  - {above: 30, up_to: 60, value: 2}
                  - {above: 60, value: 3}
          - {id: points, items: [q1, q2], method: sum, transform: [{lookup: raw}]}
          - id: place
            items: [points]
            method: value
            transform: [{norm: people, form: t}]
            exclude:
              - {id: child, when: [{of: age, below: 18}]}
            windows: [{id: week, days: 7, minimum: 2}, {id: whole}]

        """

    static let rawTable = """
        raw,value,se
        0,40.5,2
        1,43,1.5
        2,45,1.5
        3,50,
        4,55,
        5,57,
        6,60,

        """

    static let peopleTable = """
        sex,age_from,age_below,mean,sd
        f,18,40,50,10
        f,40,,48,8
        m,18,,45,5

        """

    /// Calculated by hand.
    static let vectors = """
        case,covariate.age,covariate.arm,bed,rise,minutes,ease,q1,q2,sex,score.in_bed,reason.in_bed,score.up,reason.up,score.rest,reason.rest,score.often,reason.often,score.steps,reason.steps,score.quiet,reason.quiet,score.share,reason.share,score.latency,reason.latency,score.points,reason.points,score.place,reason.place,band.often,exclusion.place
        all answered,30,a,22:30,06:30,20,easy,0,3,f,8,,390,,9,,1,,0,,8,,9,,1,,50,,50,,some,
        a long night,50,,00:00,23:59,15,hard,1,0,m,23.983333333333334,,1439,,6,,1,,0,,5,,6,,0,,43,,46,,some,
        blanks,,,,07:00,61,,3,1,f,,too_few_answered,420,,1.5,,2,,50,,-0.5,,0.75,,3,,55,,,no_covariate,some,
        a child,5,,21:00,06:00,31,easy,0,0,f,9,,360,,6,,0,,0,,6,,,undefined,2,,40.5,,,excluded,none,child
        no time in bed,40,,23:00,23:00,60,hard,2,2,f,0,,1380,,6,,2,,0,,4,,3,,2,,55,,58.75,,some,
        nothing,20,,,,,,,,,,too_few_answered,,too_few_answered,,too_few_answered,,too_few_answered,,excluded,,too_few_answered,,too_few_answered,,too_few_answered,,too_few_answered,,too_few_answered,,

        """
}
