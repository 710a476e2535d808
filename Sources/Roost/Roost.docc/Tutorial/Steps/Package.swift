// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "FirstChat",
    platforms: [.macOS(.v15)],
    dependencies: [.package(path: "../roost")],
    targets: [
        .executableTarget(
            name: "FirstChat", dependencies: [.product(name: "Roost", package: "roost")])
    ]
)
