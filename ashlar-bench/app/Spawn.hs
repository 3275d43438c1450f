-- |
-- Module      : Spawn
-- Description : Programs, by their time and memory
module Spawn
  ( spawn,
    Program (..),
    readPrograms,
    measureProgram,
  )
where

import Foreign (Ptr, alloca, peek, withArray0, withMany)
import Foreign.C.String (CString, withCString)
import Foreign.Ptr (nullPtr)

foreign import ccall safe "ashlar_bench_spawn"
  c_spawn :: Ptr CString -> Ptr Double -> IO Double

-- | Run a program. Returns its CPU time in ns and the most memory that it had, in bytes, unless it
-- failed.
spawn :: [String] -> IO (Maybe (Double, Double))
spawn command =
  withMany withCString command $ \strings ->
    withArray0 nullPtr strings $ \argv ->
      alloca $ \peak -> do
        time <- c_spawn argv peak
        if time < 0 then pure Nothing else Just . (,) time <$> peek peak

-- | A program that does the work of a workload as often as its last argument says.
data Program = Program
  { programWorkload :: String,
    programName :: String,
    programCommand :: [String]
  }

-- | A line for each program: the workload, the name and the command, separated by tabs.
readPrograms :: FilePath -> IO [Program]
readPrograms path = map (parse . fields) . lines <$> readFile path
  where
    parse (workload : name : command) = Program workload name command
    parse line = errorWithoutStackTrace (path ++ ": not a program: " ++ unwords line)
    fields s = case break (== '\t') s of
      (field, _ : rest) -> field : fields rest
      (field, []) -> [field]

-- | The time of n units of work and the most memory. The time of a program that does nothing is
-- subtracted. The work grows until it takes a quarter of a second, up to a hundredfold.
measureProgram :: Int -> Program -> IO (Maybe (Double, Double))
measureProgram n program = go 1
  where
    go times = do
      empty <- spawn (programCommand program ++ ["0"])
      full <- spawn (programCommand program ++ [show (n * times)])
      case (empty, full) of
        (Just (t0, _), Just (t, peak))
          | t - t0 < 2.5e8 && times < 100 -> go (times * 10)
          | otherwise -> pure (Just (max 1 (t - t0) / fromIntegral times, peak))
        _ -> pure Nothing
