@echo off
rem Runs kv.jar, which is next to this script or in target\, or else a kv-tools-*-all.jar next to it.
rem Short commands use the JVM's small compiler and collector, to start fast. JAVA_OPTS adds JVM flags;
rem the JVM refuses two collectors, so a flag -XX:+Use... there or in a variable that the JVM reads
rem leaves the small one out, and so does an @, which may name a file of flags.
setlocal
set "KV_JAR=%~dp0kv.jar"
if not exist "%KV_JAR%" set "KV_JAR=%~dp0target\kv.jar"
if exist "%KV_JAR%" goto found
set "KV_RELEASE="
for /f "delims=" %%j in ('dir /b "%~dp0kv-tools-*-all.jar" 2^>nul') do (
  if defined KV_RELEASE goto several
  set "KV_RELEASE=%~dp0%%j"
)
if not defined KV_RELEASE goto missing
set "KV_JAR=%KV_RELEASE%"

:found
set "KV_JAVA=java"
if defined JAVA_HOME set "KV_JAVA=%JAVA_HOME%\bin\java"
set "KV_COLLECTOR=-XX:+UseSerialGC"
set "KV_GIVEN="
if defined JAVA_OPTS set "KV_GIVEN=%JAVA_OPTS:"=%"
if defined JAVA_TOOL_OPTIONS set "KV_GIVEN=%KV_GIVEN% %JAVA_TOOL_OPTIONS:"=%"
if defined JDK_JAVA_OPTIONS set "KV_GIVEN=%KV_GIVEN% %JDK_JAVA_OPTIONS:"=%"
if defined _JAVA_OPTIONS set "KV_GIVEN=%KV_GIVEN% %_JAVA_OPTIONS:"=%"
if not defined KV_GIVEN goto flags
if not "%KV_GIVEN:-XX:+Use=%"=="%KV_GIVEN%" set "KV_COLLECTOR="
if not "%KV_GIVEN:@=%"=="%KV_GIVEN%" set "KV_COLLECTOR="
if not "%KV_GIVEN:-XX:VMOptionsFile=%"=="%KV_GIVEN%" set "KV_COLLECTOR="
if not "%KV_GIVEN:-XX:Flags=%"=="%KV_GIVEN%" set "KV_COLLECTOR="

:flags
set "KV_FLAGS="
for %%c in (get put delete properties levels approximate-size help --help --version) do (
  if "%~1"=="%%c" set "KV_FLAGS=-XX:TieredStopAtLevel=1 %KV_COLLECTOR%"
)
"%KV_JAVA%" %KV_FLAGS% %JAVA_OPTS% -jar "%KV_JAR%" %*
exit /b %errorlevel%

:missing
echo kv: no kv.jar in "%~dp0" or "%~dp0target": run mvn -pl kv-tools -am package>&2
exit /b 1

:several
echo kv: several kv-tools-*-all.jar in "%~dp0": keep one, or name it kv.jar>&2
exit /b 1
