// swift-tools-version: 6.2
import PackageDescription

/// One set of flags for every target: warnings are errors, and the imports that upcoming Swift will ask for. A release
/// is optimised across modules, because a request passes through many of them.
let flags: [SwiftSetting] = [
    .unsafeFlags(["-cross-module-optimization"], .when(configuration: .release)),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
    name: "saunter",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "saunter", targets: ["saunter"]),
        .executable(name: "evaluator", targets: ["evaluator"]),
    ],
    dependencies: [
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache.git", from: "2.1.1"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/vapor/jwt-kit.git", from: "5.7.1"),
        .package(url: "https://github.com/apple/swift-certificates.git", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-asn1.git", from: "1.7.0"),
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-configuration.git", from: "1.4.0", traits: []),
        .package(url: "https://github.com/swiftlang/swift-subprocess.git", from: "1.0.2"),
    ],
    targets: [
        .systemLibrary(
            name: "CLibPQ", path: "Sources/System/CLibPQ", pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"])]),
        .systemLibrary(
            name: "CArgon2", path: "Sources/System/CArgon2", pkgConfig: "libargon2",
            providers: [.apt(["libargon2-dev"])]),
        .systemLibrary(
            name: "CArchive", path: "Sources/System/CArchive", pkgConfig: "libarchive",
            providers: [.apt(["libarchive-dev"])]),
        .systemLibrary(
            name: "CReadStat", path: "Sources/System/CReadStat", providers: [.apt(["libreadstat-dev"])]),
        .systemLibrary(
            name: "CXLSXWriter", path: "Sources/System/CXLSXWriter", pkgConfig: "xlsxwriter",
            providers: [.apt(["libxlsxwriter-dev"])]),
        .systemLibrary(
            name: "CMarkGFM", path: "Sources/System/CMarkGFM", providers: [.apt(["libcmark-gfm-dev"])]),
        .systemLibrary(
            name: "CQRencode", path: "Sources/System/CQRencode", pkgConfig: "libqrencode",
            providers: [.apt(["libqrencode-dev"])]),
        // How glibc's heap is bounded and given back, which Swift's own module of it leaves out.
        .systemLibrary(name: "CMalloc", path: "Sources/System/CMalloc"),
        .systemLibrary(
            name: "CZlib", path: "Sources/System/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(
            name: "Compression", dependencies: ["CZlib"], path: "Sources/System/Compression",
            swiftSettings: flags),
        .target(name: "CCurl", path: "Sources/System/CCurl", linkerSettings: [.linkedLibrary("curl")]),
        .target(
            name: "SaunterCore", dependencies: [.product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: flags),
        .target(
            name: "SaunterPacks",
            dependencies: [
                "SaunterCore", "CMarkGFM", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: flags),
        .target(
            name: "SaunterExchange", dependencies: ["SaunterCore", "SaunterPacks", "CArchive"],
            path: "Sources/Interop/SaunterExchange", exclude: ["README.md"], swiftSettings: flags),
        .target(
            name: "Postgres",
            dependencies: [
                "CLibPQ",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
            ],
            swiftSettings: flags + [.strictMemorySafety()]),
        .target(name: "Console", path: "Sources/System/Console", swiftSettings: flags),
        .target(
            name: "PrivateCluster",
            dependencies: [
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Subprocess", package: "swift-subprocess"),
            ],
            path: "Sources/System/PrivateCluster", swiftSettings: flags),
        .target(
            name: "SaunterStore",
            dependencies: [
                "SaunterCore", "Postgres", "Compression", "CArgon2",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
            ],
            exclude: ["SQL/dataset"],
            resources: [.embedInCode("SQL/migrations"), .embedInCode("SQL/queries")],
            swiftSettings: flags),
        .target(
            name: "SaunterServer",
            dependencies: [
                "SaunterCore", "SaunterPacks", "SaunterExchange", "SaunterRecordings", "SaunterStore",
                "SaunterReminders", "SaunterEvaluation", "SaunterCohort", "Postgres", "Compression",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "Mustache", package: "swift-mustache"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: flags),
        .target(
            name: "SaunterWeb",
            dependencies: [
                "SaunterCore", "SaunterEvaluation", "SaunterFigures", "SaunterPacks", "SaunterServer",
                "SaunterStore", "CMarkGFM",
                .product(name: "Mustache", package: "swift-mustache"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Yams", package: "Yams"),
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            resources: [.embedInCode("assets"), .embedInCode("templates"), .embedInCode("words")],
            swiftSettings: flags),
        .target(
            name: "SaunterReaders",
            dependencies: [
                "SaunterCore", "SaunterExchange", "SaunterStore", "SaunterServer", "SaunterEvaluation",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            path: "Sources/Interop/SaunterReaders", swiftSettings: flags),
        .target(
            name: "SaunterReminders",
            dependencies: [
                "SaunterCore", "CMarkGFM", "SaunterStore", "CCurl",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: flags),
        .target(
            name: "SaunterParquet", dependencies: ["Compression"], path: "Sources/Interop/SaunterParquet",
            swiftSettings: flags),
        .target(
            name: "SaunterStatisticsFiles", dependencies: ["SaunterCore", "CReadStat", "CXLSXWriter"],
            path: "Sources/Interop/SaunterStatisticsFiles", swiftSettings: flags),
        .target(name: "SaunterFigures", dependencies: ["CQRencode"], swiftSettings: flags),
        .target(
            name: "SaunterEvaluation",
            dependencies: [
                "SaunterCore", "SaunterPacks", "SaunterExchange", "SaunterStatistics", "SaunterStore",
                "SaunterFigures", "SaunterParquet",
                "SaunterStatisticsFiles", "Postgres", "Compression", "CArchive",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
            ],
            exclude: ["SQL/migrations", "SQL/queries"],
            resources: [.embedInCode("SQL/dataset"), .embedInCode("Loaders")],
            swiftSettings: flags),
        .target(
            name: "SaunterRecordings",
            dependencies: ["SaunterCore", .product(name: "Crypto", package: "swift-crypto")],
            path: "Sources/Interop/SaunterRecordings", swiftSettings: flags),
        .target(name: "SaunterCohort", dependencies: ["SaunterCore"], swiftSettings: flags),
        .target(name: "SaunterStatistics", swiftSettings: flags),
        .target(
            name: "SaunterTesting", dependencies: ["PrivateCluster", "SaunterCore"],
            path: "Tests/SaunterTesting", swiftSettings: flags),
        .executableTarget(
            name: "saunter",
            dependencies: [
                "SaunterCore", "SaunterPacks", "SaunterExchange", "SaunterStore", "SaunterServer",
                "SaunterReaders", "SaunterReminders", "SaunterCohort", "SaunterEvaluation", "SaunterWeb",
                "SaunterRecordings", "PrivateCluster", "Console", "Postgres", "CMalloc",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: flags),
        .executableTarget(
            name: "evaluator",
            dependencies: [
                "SaunterCore", "SaunterPacks", "SaunterEvaluation", "SaunterStore", "Postgres",
                "PrivateCluster", "Console",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: flags),
        .testTarget(name: "CompressionTests", dependencies: ["Compression"], swiftSettings: flags),
        .testTarget(
            name: "SaunterCoreTests", dependencies: ["SaunterCore", "SaunterTesting"], swiftSettings: flags),
        .testTarget(
            name: "SaunterPacksTests", dependencies: ["SaunterCore", "SaunterPacks"], swiftSettings: flags),
        .testTarget(
            name: "SaunterExchangeTests", dependencies: ["SaunterCore", "SaunterPacks", "SaunterExchange"],
            swiftSettings: flags),
        .testTarget(
            name: "PostgresTests",
            dependencies: [
                "Postgres", "SaunterTesting", "PrivateCluster",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ],
            swiftSettings: flags),
        .testTarget(
            name: "PrivateClusterTests",
            dependencies: [
                "PrivateCluster", "SaunterTesting",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Subprocess", package: "swift-subprocess"),
            ],
            swiftSettings: flags),
        .testTarget(
            name: "SaunterStoreTests",
            dependencies: [
                "SaunterCore", "SaunterStore", "Postgres", "SaunterTesting",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: flags),
        .testTarget(
            name: "SaunterWebTests",
            dependencies: [
                "SaunterCore", "SaunterEvaluation", "SaunterFigures", "SaunterWeb", "SaunterServer",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Mustache", package: "swift-mustache"),
            ],
            swiftSettings: flags),
        .testTarget(
            name: "SaunterRemindersTests",
            dependencies: [
                "SaunterCore", "SaunterReminders", "SaunterStore", "SaunterTesting", "Postgres",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
            ],
            exclude: ["Fixtures"],
            swiftSettings: flags),
        .testTarget(
            name: "SaunterParquetTests", dependencies: ["SaunterParquet"], exclude: ["Fixtures"],
            swiftSettings: flags),
        .testTarget(
            name: "SaunterStatisticsTests", dependencies: ["SaunterStatistics"],
            exclude: ["Conformance/reference.R"],
            swiftSettings: flags),
        .testTarget(
            name: "SaunterStatisticsFilesTests", dependencies: ["SaunterStatisticsFiles"],
            swiftSettings: flags),
        .testTarget(
            name: "SaunterEvaluationTests",
            dependencies: [
                "SaunterCore", "SaunterPacks", "SaunterFigures", "SaunterStatistics", "SaunterStore",
                "SaunterEvaluation", "SaunterStatisticsFiles", "Postgres", "SaunterTesting",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            exclude: ["Fixtures", "Golden"],
            swiftSettings: flags),
        .testTarget(
            name: "SaunterServerTests",
            dependencies: [
                "SaunterCore", "SaunterPacks", "SaunterStore", "SaunterReminders", "SaunterEvaluation",
                "SaunterServer", "SaunterReaders", "SaunterCohort", "Postgres", "Compression",
                "SaunterTesting",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: flags),
        .testTarget(
            name: "SaunterReadersTests",
            dependencies: ["SaunterCore", "SaunterEvaluation", "SaunterServer", "SaunterReaders"],
            swiftSettings: flags),
        .testTarget(
            name: "SaunterRecordingsTests", dependencies: ["SaunterCore", "SaunterRecordings"],
            swiftSettings: flags),
        .testTarget(
            name: "SaunterCohortTests",
            dependencies: ["SaunterCore", "SaunterCohort"],
            swiftSettings: flags),
        .testTarget(
            name: "saunterTests",
            dependencies: ["saunter", "SaunterCore", "SaunterCohort", "SaunterTesting"],
            swiftSettings: flags),
    ]
)

/// Benchmarks are built on request only: `SAUNTER_BENCHMARKS=1 swift build -c release`.
if Context.environment["SAUNTER_BENCHMARKS"] != nil {
    package.targets += [
        .executableTarget(
            name: "saunter-bench-scoring", dependencies: ["SaunterCore"],
            path: "Benchmarks/saunter-bench-scoring", swiftSettings: flags),
        .executableTarget(
            name: "saunter-bench-parquet", dependencies: ["SaunterParquet"],
            path: "Benchmarks/saunter-bench-parquet", swiftSettings: flags),
        .executableTarget(
            name: "saunter-bench-export",
            dependencies: [
                "SaunterCore", "SaunterPacks", "SaunterEvaluation", "SaunterStore", "SaunterTesting",
                "Postgres",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Benchmarks/saunter-bench-export", resources: [.embedInCode("SQL")], swiftSettings: flags),
        .executableTarget(
            name: "saunter-bench-schedule",
            dependencies: [
                "SaunterCohort", "SaunterCore", "SaunterPacks", "SaunterReminders", "SaunterStore",
                "SaunterTesting",
                "Postgres",
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Benchmarks/saunter-bench-schedule", exclude: ["population.sql", "rules.sql"],
            swiftSettings: flags),
    ]
}
