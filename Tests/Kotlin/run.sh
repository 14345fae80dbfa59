#!/bin/sh
# Compiles the generated Kotlin with Kotlin's own compiler and kotlinx.serialization, and runs Main.kt with it. The compiler, its
# plugin and the library are those of the Kotlin kernel for Jupyter, which PyPI has (80 MB, into .build-kotlin, once); a Java runtime
# is Debian's.
set -eu
cd "$(dirname "$0")/../.."
version=0.19.0.944
folder=.build-kotlin
command -v java >/dev/null || ./scripts/install-system-packages.sh default-jre-headless
if [ ! -e "$folder/$version" ]; then
  rm -rf "$folder"
  mkdir -p "$folder"
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest "$folder" "kotlin-jupyter-kernel==$version"
  python3 -m zipfile --extract "$folder"/*.whl "$folder/wheel"
  rm "$folder"/*.whl
  : >"$folder/$version"
fi
jars=$folder/wheel/run_kotlin_kernel/jars
library=$(ls "$jars"/kotlin-stdlib-*.jar "$jars"/kotlinx-serialization-*.jar | tr '\n' ':')
rm -rf "$folder/classes"
java -cp "$jars/*" org.jetbrains.kotlin.cli.jvm.K2JVMCompiler -no-stdlib -no-reflect -Werror -Xdisable-default-scripting-plugin \
  "-Xplugin=$(ls "$jars"/kotlin-jupyter-kernel-*-all.jar)" -classpath "$library" -d "$folder/classes" \
  Tests/CodeGenerationTests/Generated/Cells.kt Tests/Kotlin/Main.kt
java -cp "$library$folder/classes" MainKt
