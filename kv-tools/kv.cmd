@echo off
rem Runs kv.jar, which is next to this script or in target\. Short commands use the JVM's small
rem compiler and collector, to start fast. JAVA_OPTS adds JVM flags; the JVM refuses two collectors, so
rem a flag -XX:+Use... there leaves the small one out.
setlocal
set "KV_JAR=%~dp0kv.jar"
if not exist "%KV_JAR%" set "KV_JAR=%~dp0target\kv.jar"
if not exist "%KV_JAR%" goto missing
set "KV_JAVA=java"
if defined JAVA_HOME set "KV_JAVA=%JAVA_HOME%\bin\java"
set "KV_COLLECTOR=-XX:+UseSerialGC"
if not defined JAVA_OPTS goto flags
set "KV_GIVEN=%JAVA_OPTS:"=%"
if not "%KV_GIVEN:-XX:+Use=%"=="%KV_GIVEN%" set "KV_COLLECTOR="

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
