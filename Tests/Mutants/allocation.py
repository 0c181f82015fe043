"""Each rule by which participants come to their arm, broken on purpose: what `mutants.py` tries. Entries are as in `planning.py`."""

MUTANTS = {
    "Study/BlockAllocator.swift": [
        ("blocks hold whole shares", "any size is taken", "$0 % shares == 0", "true"),
        ("every order of a block may come", "its first two never change places", "0", "1", "stride(from: block.count - 1, to: 0, by: -1)"),
        ("every order of a block may come", "nobody keeps a place", "last + 1", "last", "draw.below(last + 1)"),
        ("sizes of blocks are drawn", "always the first", "draw.below(blockSizes.count)", "0"),
        ("every block is drawn by itself", "all blocks are alike", "Int64(block)", "Int64(0)"),
        ("every stratum has a list of its own", "all have one", "Array(stratum.utf8)", "[]"),
        ("every study has a list of its own", "all have one", "Array(study.utf8)", "[]"),
        ("a block holds each arm by its ratio", "each once", "$0.ratio * (size / shares)", "size / shares"),
    ],
    "Study/SimpleAllocator.swift": [
        ("every place is drawn by itself", "all are alike", "Int64(position)", "Int64(0)"),
        ("each arm has the chance of its ratio", "the first has more", "place < arm.ratio", "place <= arm.ratio"),
        ("every study has a list of its own", "all have one", "Array(study.utf8)", "[]"),
    ],
    "Study/Minimiser.swift": [
        ("the arm of least imbalance is preferred", "that of most", "imbalances.min()", "imbalances.max()"),
        ("it is preferred with the study's probability", "with the rest of it",
         "draw.below(Self.million) < chance", "draw.below(Self.million) >= chance"),
        ("counts are divided by the arms' shares", "they are not", "(multiple / arms[index].ratio)", "1"),
        ("the newcomer is counted", "is not", "(index == place ? 1 : 0)", "0"),
        ("factors have weights", "all have the same", "weights[entry.factor, default: 1]", "1"),
        ("spread is the range", "the largest count", "(shares.min() ?? 0)", "0"),
        ("where all are alike one of all is drawn", "none is", "follows || others.isEmpty", "follows"),
        ("every study has draws of its own", "all have the same", "Array(study.utf8)", "[]"),
        ("every place is drawn by itself", "all are alike", "Int64(position)", "Int64(0)"),
        ("ratios meet at their least common multiple", "at their product", "ratio / large", "ratio"),
        ("a probability is above 0", "it may be 0", "probability > 0", "true"),
        ("every factor is counted", "the first alone", "levels.entries", "Array(levels.entries.prefix(1))", "for entry in levels.entries {"),
    ],
    "Study/Allotment.swift": [
        ("every stratum has a list of its own", "all have one", "allocation.method == .stratifiedBlocks", "false"),
        ("minimisation draws at the place of the newcomer", "at the first", "position", "0", "position, tally: tally)\n            arm"),
        ("a seed is known by 32 digits", "by 4", "16", "2", "digest.prefix(16)"),
        ("of many each is counted before the next comes", "none is", "tally", "AllocationTally()", " tally, seed: seed)?.arm"),
        ("of many every stratum has a list of its own", "all have one", "allocationList(of: people[$0])", "allocationList(of: people[$0 - $0])"),
    ],
    "Study/FactorLevels.swift": [
        ("only levels of the study are taken", "any is", "factor.levels.contains(level)", "true"),
        ("only factors of the study are taken", "any is passed over", "!known.contains(name)", "false"),
    ],
    "Study/AllocationBalance.swift": [
        ("imbalance is the largest distance", "the least",
         "zip(counts, ratios).map { count, ratio in abs(Double(count) - total * Double(ratio) / shares) }\n            .max()",
         "zip(counts, ratios).map { count, ratio in abs(Double(count) - total * Double(ratio) / shares) }.min()"),
        ("arms of earlier versions have no share", "they have one", "former.map { _ in 0 }", "former.map { _ in 1 }"),
        ("levels are counted apart", "together", "$0.levels.entries.contains(entry)", "true"),
    ],
}
